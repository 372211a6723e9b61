#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/mpich/tree.h"
#include "library/tuning_format.h"

namespace cox::library {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

DecisionRow Row(int64_t block_bytes, const std::string& algorithm) {
  DecisionRow row;
  row.block_bytes = block_bytes;
  row.algorithm = algorithm;
  row.native_id = algorithm == "default" ? 0 : -1;
  return row;
}

TunedJob Job(int64_t nodes, int64_t ppn) { return {"mpich-4.0", nodes, ppn, {}}; }

std::string File(const std::vector<DecisionTable>& tables, const TunedJob& job) {
  const auto text = WriteTuning(tables, job, **FindTuningFormat("mpich-4.0", "file"), {});
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

MpichCall Call(const std::string& collective, int64_t ranks, int64_t count) {
  MpichCall call;
  call.collective = FindMpichCollective(collective);
  call.comm_size = ranks;
  call.count = count;
  call.hierarchy = MpichHierarchy::kParent;
  call.node_comm_size = ranks;
  call.node_consecutive = true;
  return call;
}

std::string Chosen(const MpichTree& tree, const MpichCall& call) {
  const MpichNode* leaf = SearchMpichTree(tree, call);
  return leaf == nullptr ? "abort" : leaf->algorithm;
}

std::string BuiltIn(const MpichCall& call) { return Chosen(Mpich40Tree(), call); }

std::string Chosen(const std::string& text, const MpichCall& call) {
  const auto tree = ParseMpichTree(text);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return tree.ok() ? Chosen(*tree, call) : "";
}

// The rows of a table, and what MPICH calls them; "" for its own choice.
struct Case {
  const char* collective;
  const char* algorithms[3];
  const char* leaves[3];
};

constexpr Case kCases[] = {
    {"bcast",
     {"scatter_ring_allgather", "default", "binomial"},
     {"MPIR_Bcast_intra_scatter_ring_allgather", "", "MPIR_Bcast_intra_binomial"}},
    {"allreduce",
     {"reduce_scatter_allgather", "recursive_doubling", "default"},
     {"MPIR_Allreduce_intra_reduce_scatter_allgather", "MPIR_Allreduce_intra_recursive_doubling",
      ""}},
    {"reduce",
     {"default", "reduce_scatter_gather", "binomial"},
     {"", "MPIR_Reduce_intra_reduce_scatter_gather", "MPIR_Reduce_intra_binomial"}},
    {"alltoall",
     {"pairwise", "brucks", "scattered"},
     {"MPIR_Alltoall_intra_pairwise", "MPIR_Alltoall_intra_brucks",
      "MPIR_Alltoall_intra_scattered"}},
    {"allgather",
     {"ring", "default", "brucks"},
     {"MPIR_Allgather_intra_ring", "", "MPIR_Allgather_intra_brucks"}},
    {"allgatherv",
     {"brucks", "ring", "nb"},
     {"MPIR_Allgatherv_intra_brucks", "MPIR_Allgatherv_intra_ring", "MPIR_Allgatherv_allcomm_nb"}},
    {"reduce_scatter",
     {"recursive_doubling", "pairwise", "recursive_halving"},
     {"MPIR_Reduce_scatter_intra_recursive_doubling", "MPIR_Reduce_scatter_intra_pairwise",
      "MPIR_Reduce_scatter_intra_recursive_halving"}},
    {"reduce_scatter_block",
     {"pairwise", "default", "recursive_doubling"},
     {"MPIR_Reduce_scatter_block_intra_pairwise", "",
      "MPIR_Reduce_scatter_block_intra_recursive_doubling"}},
};

TEST(WriteMpichJsonTest, EveryRowIsObeyedAtItsBoundariesForThisSizeOnly) {
  for (const Case& c : kCases) {
    for (int64_t ranks : {int64_t{2}, int64_t{5}, int64_t{8}, int64_t{64}}) {
      const std::vector<DecisionRow> rows = {Row(0, c.algorithms[0]), Row(300, c.algorithms[1]),
                                             Row(70'000, c.algorithms[2])};
      const std::string text = File({{c.collective, rows}}, Job(1, ranks));
      const auto tree = ParseMpichTree(text);
      ASSERT_TRUE(tree.ok()) << tree.status();
      const std::pair<int64_t, int> kSizes[] = {{100, 0},    {299, 0},    {300, 1},
                                                {301, 1},    {69'999, 1}, {70'000, 2},
                                                {70'001, 2}, {1 << 24, 2}};
      for (const auto& [bytes, row] : kSizes) {
        const MpichCall call = Call(c.collective, ranks, bytes);
        const std::string expected = c.leaves[row][0] == '\0' ? BuiltIn(call) : c.leaves[row];
        EXPECT_EQ(Chosen(*tree, call), expected)
            << c.collective << " p=" << ranks << " " << bytes << "\n"
            << text.substr(0, 3000);
        for (int64_t other : {ranks - 1, ranks + 1}) {
          const MpichCall neighbour = Call(c.collective, other, bytes);
          EXPECT_EQ(Chosen(*tree, neighbour), BuiltIn(neighbour)) << c.collective << " " << other;
        }
        MpichCall inter = call;
        inter.inter = true;
        EXPECT_EQ(Chosen(*tree, inter), BuiltIn(inter)) << c.collective;
      }
    }
  }
}

// Only calls that a row of the catalogue is made for reach it.
TEST(WriteMpichJsonTest, EveryAlgorithmOfTheCatalogueIsSoundAndSelectable) {
  for (const Algorithm& row : AlgorithmsOf("mpich-4.0")) {
    const std::string collective(domain::CollectiveName(row.collective));
    const std::string text =
        File({{collective, {Row(0, std::string(row.native_name))}}}, Job(1, 8));
    MpichCall call = Call(collective, 8, 64);
    call.node_consecutive = true;
    const std::string chosen = Chosen(text, call);
    if ((row.needs & kInPlace) != 0) {
      EXPECT_EQ(chosen, BuiltIn(call)) << "calls that are not in place cannot";
      continue;
    }
    if (row.native_name == "noncommutative") call.commutative = false;
    EXPECT_THAT(Chosen(text, call), ::testing::EndsWith("_" + std::string(row.native_name)));
  }
}

TEST(WriteMpichJsonTest, CallsThatTheAlgorithmIsNotForKeepTheLibrarysChoice) {
  const std::string text = File({{"allreduce", {Row(0, "reduce_scatter_allgather")}},
                                 {"reduce_scatter", {Row(0, "pairwise")}},
                                 {"alltoall", {Row(0, "brucks")}}},
                                Job(1, 8));
  MpichCall few = Call("allreduce", 8, 7);
  EXPECT_EQ(Chosen(text, few), BuiltIn(few)) << "fewer elements than ranks";
  few.count = 8;
  EXPECT_EQ(Chosen(text, few), "MPIR_Allreduce_intra_reduce_scatter_allgather");
  few.op_built_in = false;
  EXPECT_EQ(Chosen(text, few), "MPIR_Allreduce_intra_recursive_doubling");
  MpichCall ordered = Call("reduce_scatter", 8, 100);
  EXPECT_EQ(Chosen(text, ordered), "MPIR_Reduce_scatter_intra_pairwise");
  ordered.commutative = false;
  ordered.op_built_in = false;
  EXPECT_EQ(Chosen(text, ordered), "MPIR_Reduce_scatter_intra_noncommutative");
  ordered.block_regular = false;
  EXPECT_EQ(Chosen(text, ordered), "MPIR_Reduce_scatter_intra_recursive_doubling");
  MpichCall in_place = Call("alltoall", 8, 1);
  in_place.in_place = true;
  EXPECT_EQ(Chosen(text, in_place), "MPIR_Alltoall_intra_pairwise_sendrecv_replace");
  // The library has no recursive doubling for five ranks.
  const MpichCall odd = Call("allgather", 5, 1);
  EXPECT_EQ(Chosen(File({{"allgather", {Row(0, "recursive_doubling")}}}, Job(1, 5)), odd),
            BuiltIn(odd));
}

TEST(WriteMpichJsonTest, WhatCannotBeSaidIsLeftOutInWords) {
  const DecisionTable gather = {"gather", {Row(0, "binomial"), Row(64, "nb")}};
  const DecisionTable bcast = {"bcast", {Row(0, "scatter_ring_allgather")}};
  const DecisionTable alltoall = {"alltoall", {Row(0, "pairwise")}};
  const std::string one_node = File({gather, bcast, alltoall}, Job(1, 8));
  EXPECT_THAT(one_node, HasSubstr("// gather: 2 choices by size"));
  EXPECT_THAT(one_node, Not(HasSubstr("// bcast")));
  EXPECT_EQ(Chosen(one_node, Call("gather", 8, 64)), "MPIR_Gather_intra_binomial");
  EXPECT_EQ(Chosen(one_node, Call("bcast", 8, 64)), "MPIR_Bcast_intra_scatter_ring_allgather");
  // Nodes of several ranks: only collectives that MPICH does not split into calls on nodes.
  const std::string nodes = File({gather, bcast, alltoall}, Job(4, 2));
  EXPECT_THAT(nodes, HasSubstr("// bcast: the library splits it"));
  const MpichCall call = Call("bcast", 8, 64);
  EXPECT_EQ(Chosen(nodes, call), BuiltIn(call));
  EXPECT_EQ(Chosen(nodes, Call("alltoall", 8, 64)), "MPIR_Alltoall_intra_pairwise");
  // Nodes of one rank are not split.
  EXPECT_EQ(Chosen(File({bcast}, Job(8, 1)), call), "MPIR_Bcast_intra_scatter_ring_allgather");
}

TEST(WriteMpichJsonTest, SizesBeyondWhatTheLibraryReadsAreNotWritten) {
  constexpr int64_t kLast = int64_t{1} << 31;
  const std::string text =
      File({{"alltoall", {Row(0, "pairwise"), Row(kLast, "brucks"), Row(kLast + 1, "scattered")}},
            {"allgather", {Row(0, "ring"), Row(kLast / 4, "brucks")}}},
           Job(1, 8));
  EXPECT_THAT(text, HasSubstr("2147483647"));
  EXPECT_EQ(Chosen(text, Call("alltoall", 8, kLast - 1)), "MPIR_Alltoall_intra_pairwise");
  EXPECT_EQ(Chosen(text, Call("alltoall", 8, kLast)), "MPIR_Alltoall_intra_brucks");
  EXPECT_EQ(Chosen(text, Call("alltoall", 8, kLast + 1)), "MPIR_Alltoall_intra_brucks");
  EXPECT_EQ(Chosen(text, Call("allgather", 8, kLast)), "MPIR_Allgather_intra_ring");
}

TEST(WriteMpichJsonTest, HeaderLinesAreCommentsAndNoFileFillsPages) {
  const TuningFormat& format = **FindTuningFormat("mpich-4.0", "");
  EXPECT_EQ(format.name, "json");
  EXPECT_TRUE(format.is_file);
  for (size_t length : {0U, 1U, 4095U, 4096U, 9000U}) {
    const auto text =
        WriteTuning({}, Job(1, 8), format, {"a\n{\"x\":1}", std::string(length, 'x')});
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_THAT(*text, StartsWith("// a {\"x\":1}\n//"));
    EXPECT_NE(text->size() % 4096, 0);
  }
  // One of these lengths fills whole pages.
  bool padded = false;
  for (size_t length = 0; length < 4096; ++length) {
    const std::string text = *WriteMpichJson({}, Job(1, 8), {std::string(length, 'x')});
    padded = padded || text.substr(text.size() - 2) == "\n\n";
    ASSERT_NE(text.size() % 4096, 0);
  }
  EXPECT_TRUE(padded);
}

TEST(WriteMpichJsonTest, NothingToChangeIsTheLibrarysOwnTree) {
  const std::string nothing = File({}, Job(1, 8));
  EXPECT_EQ(File({{"alltoall", {Row(0, "default")}}}, Job(1, 8)), nothing);
  EXPECT_EQ(File({{"alltoall", {Row(0, "pairwise")}}}, Job(1, 1)), nothing);
  const auto unknown = WriteTuning({{"alltoall", {Row(0, "no_such")}}}, Job(1, 8),
                                   **FindTuningFormat("mpich-4.0", "json"), {});
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("no_such"));
}

// Several rows of a collective that the format has no sizes for would leave it out of the file.
TEST(MpichJson, TellsWhichCollectivesMayHaveSeveralRows) {
  const TuningFormat& format = **FindTuningFormat("mpich-4.0", "json");
  int apart = 0;
  for (const Algorithm& algorithm : AlgorithmsOf("mpich-4.0")) {
    const std::string collective(domain::CollectiveName(algorithm.collective));
    DecisionTable table;
    table.collective = collective;
    table.rows = {Row(0, "default"), Row(4096, std::string(algorithm.native_name))};
    const bool is_written = File({table}, Job(1, 8)).find("choices by size") == std::string::npos;
    if (FindMpichCollective(collective) < 0) continue;
    EXPECT_EQ(format.tells_sizes_apart(algorithm.collective), is_written) << collective;
    apart += is_written ? 1 : 0;
  }
  EXPECT_GT(apart, 0);
}

}  // namespace
}  // namespace cox::library
