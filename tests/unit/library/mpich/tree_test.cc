#include "library/mpich/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "absl/strings/match.h"
#include "library/formats.h"
#include "library/mpich/guards.h"
#include "library/mpich/known.h"
#include "library/mpich/leaves.h"

namespace cox::library {
namespace {

using ::testing::HasSubstr;

std::string Chosen(const MpichTree& tree, const MpichCall& call) {
  const MpichNode* leaf = SearchMpichTree(tree, call);
  return leaf == nullptr ? "abort" : leaf->algorithm;
}

MpichCall Call(const std::string& collective, int64_t ranks, int64_t count,
               int64_t type_bytes = 1) {
  MpichCall call;
  call.collective = FindMpichCollective(collective);
  EXPECT_GE(call.collective, 0) << collective;
  call.comm_size = ranks;
  call.count = count;
  call.type_bytes = type_bytes;
  return call;
}

// Calls of all collectives around all numbers that the built-in tree compares with.
void ForManyCalls(const std::function<void(const MpichCall&)>& look) {
  for (const MpichCollective& collective : MpichCollectives()) {
    for (int64_t ranks : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 1000}) {
      for (int64_t bytes :
           {0,     1,     8,     9,     256,   257,   2047,  2048,   2049,   12287,
            12288, 12289, 32768, 32769, 81919, 81920, 81921, 524287, 524288, 524289}) {
        for (int64_t shift : {int64_t{1}, ranks}) {
          for (unsigned bits = 0; bits < 128; ++bits) {
            MpichCall call = Call(std::string(collective.name), ranks, bytes / shift);
            call.inter = (bits & 1) != 0;
            call.hierarchy = static_cast<MpichHierarchy>((bits >> 1) & 3);
            call.commutative = (bits & 8) == 0;
            call.op_built_in = call.commutative && (bits & 16) == 0;
            call.in_place = (bits & 32) != 0;
            call.block_regular = (bits & 64) == 0;
            call.node_consecutive = (bits & 64) == 0;
            look(call);
          }
        }
      }
    }
  }
}

TEST(MpichTreeTest, TheTextIsTheTree) {
  const auto again = ParseMpichTree(MpichTreeText(Mpich40Tree()));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, Mpich40Tree());
}

TEST(MpichTreeTest, WhatIsWrittenWithoutChangesChoosesAsTheLibraryDoes) {
  const auto text = WriteMpichJson({}, {"mpich-4.0", 2, 4, {}}, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(CheckMpichJson(*text, {}), ::testing::IsEmpty());
  EXPECT_EQ(text->find("comm_size<8"), std::string::npos) << "it means two things";
  const auto tree = ParseMpichTree(*text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  int64_t calls = 0;
  ForManyCalls([&](const MpichCall& call) {
    ++calls;
    ASSERT_EQ(Chosen(*tree, call), Chosen(Mpich40Tree(), call))
        << MpichCollectives()[static_cast<size_t>(call.collective)].name << " " << call.comm_size
        << " " << call.count;
  });
  EXPECT_GT(calls, 1'000'000);
}

struct Choice {
  const char* collective;
  int64_t ranks;
  int64_t count;
  const char* algorithm;
};

// From the built-in text of MPICH 4.0.2.
TEST(MpichTreeTest, TheBuiltInChoices) {
  const Choice kChoices[] = {
      {"bcast", 7, 1 << 20, "MPIR_Bcast_intra_binomial"},
      {"bcast", 8, 12288, "MPIR_Bcast_intra_binomial"},
      {"bcast", 8, 12289, "MPIR_Bcast_intra_scatter_recursive_doubling_allgather"},
      {"bcast", 8, 524289, "MPIR_Bcast_intra_scatter_ring_allgather"},
      {"bcast", 9, 12289, "MPIR_Bcast_intra_scatter_ring_allgather"},
      {"allreduce", 8, 8, "MPIR_Allreduce_intra_recursive_doubling"},
      {"allreduce", 8, 9, "MPIR_Allreduce_intra_reduce_scatter_allgather"},
      {"allreduce", 16, 15, "MPIR_Allreduce_intra_recursive_doubling"},
      {"reduce", 8, 2048, "MPIR_Reduce_intra_binomial"},
      {"reduce", 8, 2049, "MPIR_Reduce_intra_reduce_scatter_gather"},
      {"allgather", 8, 65535, "MPIR_Allgather_intra_recursive_doubling"},
      {"allgather", 8, 65536, "MPIR_Allgather_intra_ring"},
      {"allgather", 5, 16383, "MPIR_Allgather_intra_brucks"},
      {"allgather", 5, 16384, "MPIR_Allgather_intra_ring"},
      {"alltoall", 9, 256, "MPIR_Alltoall_intra_brucks"},
      {"alltoall", 9, 257, "MPIR_Alltoall_intra_scattered"},
      {"alltoall", 9, 32769, "MPIR_Alltoall_intra_pairwise"},
      {"reduce_scatter", 4, 131071, "MPIR_Reduce_scatter_intra_recursive_halving"},
      {"reduce_scatter", 4, 131072, "MPIR_Reduce_scatter_intra_pairwise"},
      {"gatherv", 4, 1, "MPIR_Gatherv_allcomm_linear"},
      {"barrier", 4, 0, "MPIR_Barrier_intra_dissemination"},
      {"iscan", 4, 1, "MPIR_Iscan_intra_sched_recursive_doubling"},
  };
  for (const Choice& choice : kChoices) {
    EXPECT_EQ(Chosen(Mpich40Tree(), Call(choice.collective, choice.ranks, choice.count)),
              choice.algorithm)
        << choice.collective << " " << choice.ranks << " " << choice.count;
  }
}

// "comm_size<8" holds at 8 below a test of the call, and does not directly below the collective.
TEST(MpichTreeTest, BelowIsStrictOnlyAtCreation) {
  EXPECT_EQ(Chosen(Mpich40Tree(), Call("alltoall", 8, 16)), "MPIR_Alltoall_intra_scattered");
  EXPECT_EQ(Chosen(Mpich40Tree(), Call("alltoall", 9, 16)), "MPIR_Alltoall_intra_brucks");
  EXPECT_EQ(Chosen(Mpich40Tree(), Call("bcast", 8, 20000)),
            "MPIR_Bcast_intra_scatter_recursive_doubling_allgather");
  const auto tree = ParseMpichTree(
      R"({"collective=bcast":{"avg_msg_size=any":{
            "comm_size<8":{"algorithm=MPIR_Bcast_intra_binomial":{}},
            "comm_size=any":{"algorithm=MPIR_Bcast_allcomm_nb":{}}}}})");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(Chosen(*tree, Call("bcast", 8, 1)), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(Chosen(*tree, Call("bcast", 9, 1)), "MPIR_Bcast_allcomm_nb");
}

TEST(MpichTreeTest, GatherAndScatterCompareElements) {
  MpichCall call = Call("gather", 4, 511, 8);
  call.inter = true;
  EXPECT_EQ(Chosen(Mpich40Tree(), call), "MPIR_Gather_inter_local_gather_remote_send");
  call.count = 512;
  EXPECT_EQ(Chosen(Mpich40Tree(), call), "MPIR_Gather_inter_linear");
  EXPECT_EQ(Call("gather", 4, 511, 8).TotalSize(), 4 * 511);
  EXPECT_EQ(Call("allgather", 4, 511, 8).TotalSize(), 4 * 511 * 8);
}

TEST(MpichTreeTest, WhatIsNotDefinedAborts) {
  const auto tree = ParseMpichTree(
      R"({"collective=allgather":{
            "avg_msg_size<=9":{"algorithm=MPIR_Allgather_intra_ring":{}},
            "avg_msg_size=any":{"algorithm=MPIR_Allgather_intra_brucks":{}}}})");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(SearchMpichTree(*tree, Call("allgather", 4, 1)), nullptr);
  EXPECT_EQ(SearchMpichTree(*tree, Call("reduce", 4, 1)), nullptr) << "not in the file";
}

TEST(MpichTreeTest, NumbersAreReadAsAtoiDoes) {
  EXPECT_EQ(AsAtoi("12"), 12);
  EXPECT_EQ(AsAtoi("1k"), 1);
  EXPECT_EQ(AsAtoi(""), 0);
  EXPECT_EQ(AsAtoi("-3"), -3);
  EXPECT_EQ(AsAtoi("2147483648"), -2147483648LL);
  EXPECT_EQ(AsAtoi("4294967297"), 1);
  EXPECT_EQ(AsAtoi("99999999999999999999"), -1);
}

TEST(MpichTreeTest, ReadsWhatTheLibraryReads) {
  const auto tree = ParseMpichTree(
      "// a line\n{ /* in it { */ 'collective = bcast' : {\"algorithm=MPIR_Bcast_allcomm_nb\":{},"
      "\"k = 3\":{}},} rest");
  ASSERT_TRUE(tree.ok()) << tree.status();
  ASSERT_EQ(tree->size(), 1);
  EXPECT_EQ(tree->front().algorithm, "MPIR_Bcast_allcomm_nb");
  EXPECT_EQ(tree->front().parameters, std::vector<std::string>{"k=3"});
  // The last of two equal keys counts, in the place of the first.
  const auto twice = ParseMpichTree(
      R"({"collective=bcast":{"algorithm=MPIR_Bcast_allcomm_nb":{}},
          "collective=bcast":{"algorithm=MPIR_Bcast_intra_smp":{}}})");
  ASSERT_TRUE(twice.ok());
  ASSERT_EQ(twice->size(), 1);
  EXPECT_EQ(twice->front().algorithm, "MPIR_Bcast_intra_smp");
}

TEST(MpichTreeTest, RefusesWhatTheLibraryAbortsOn) {
  const std::pair<const char*, const char*> kBroken[] = {
      {"", "line 1"},
      {"{", "not a key"},
      {"# x\n{}", "not an object"},
      {"{\"collective=bcast\":1}", "not an object"},
      {"{\"collective=bcast\"\n\n {}}", "line 3: not a colon"},
      {"{\"collective=bcast\":{}}", "leads nowhere"},
      {"{\"collective=broadcast\":{\"algorithm=MPIR_Bcast_intra_smp\":{}}}", "is not a test"},
      {"{\"collective=bcast\":{\"algorithm=MPIR_Bcast_intra_chain\":{}}}", "is not an algorithm"},
      {"{\"algorithm=MPIR_Bcast_intra_smp\":{}}", "has no test above it"},
      {"/* {}", "does not end"},
  };
  for (const auto& [text, what] : kBroken) {
    const auto tree = ParseMpichTree(text);
    ASSERT_FALSE(tree.ok()) << text;
    EXPECT_THAT(std::string(tree.status().message()), HasSubstr(what)) << text;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{\"comm_size=any\":";
  EXPECT_THAT(std::string(ParseMpichTree(deep).status().message()), HasSubstr("deeper"));
}

// A writer can name each algorithm somewhere, and guard all that it needs.
TEST(MpichTreeTest, EveryAlgorithmHasACollectiveAndGuards) {
  uint32_t guarded = 0;
  for (const MpichGuard& guard : MpichGuards()) guarded |= guard.need;
  for (const MpichLeaf& leaf : MpichLeaves()) {
    EXPECT_EQ(FindMpichLeaf(leaf.name), &leaf);
    EXPECT_EQ(leaf.needs & ~guarded, 0U) << leaf.name;
    EXPECT_TRUE(std::any_of(MpichCollectives().begin(), MpichCollectives().end(),
                            [&leaf](const MpichCollective& collective) {
                              return absl::StartsWith(leaf.name, collective.prefix);
                            }))
        << leaf.name;
  }
  EXPECT_EQ(FindMpichLeaf("MPIR_Bcast_intra_chain"), nullptr);
  EXPECT_EQ(FindMpichLeaf(""), nullptr);
}

TEST(MpichTreeTest, EveryTestHasItsKey) {
  for (const MpichNode& node : Mpich40Tree()) {
    const std::string key = MpichTestKey(node.test);
    EXPECT_EQ(ParseMpichTest(key), node.test) << key;
  }
  EXPECT_EQ(Mpich40Tree().size(), MpichCollectives().size());
  for (const char* key : {"comm_size<=7", "comm_size=node_comm_size", "comm_hierarchy=node_roots",
                          "is_node_consecutive=no", "comm_avg_ppn<=2", "is_multi_threaded=yes",
                          "count<=3", "count<pow2", "total_msg_size<5", "is_op_built_in=no"}) {
    const auto test = ParseMpichTest(key);
    ASSERT_TRUE(test.has_value()) << key;
    EXPECT_EQ(MpichTestKey(*test), key);
  }
  for (const char* key : {"comm_size", "comm_size=8", "avg_msg_size>3", "is_commutative=maybe",
                          "collective=", "algorithm=x", "comm_hierarchy=root"}) {
    EXPECT_FALSE(ParseMpichTest(key).has_value()) << key;
  }
}

}  // namespace
}  // namespace cox::library
