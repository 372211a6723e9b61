#include "library/tuning_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/openmpi/rules.h"

namespace cox::library {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TunedJob Job(int64_t nodes, int64_t ppn, const std::string& library = "openmpi-4.1") {
  return {library, nodes, ppn, {}};
}

absl::StatusOr<std::string> Export(const std::vector<DecisionTable>& tables, const TunedJob& job,
                                   absl::string_view format,
                                   const std::vector<std::string>& header_lines = {}) {
  const auto found = FindTuningFormat(job.library, format);
  if (!found.ok()) return found.status();
  return WriteTuning(tables, job, **found, header_lines);
}

DecisionRow MakeRow(int64_t block_bytes, const std::string& algorithm, int native_id) {
  DecisionRow row;
  row.block_bytes = block_bytes;
  row.algorithm = algorithm;
  row.native_id = native_id;
  return row;
}

std::string File(const std::vector<DecisionTable>& tables, const TunedJob& job) {
  const auto text = Export(tables, job, "rules");
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

// What the library does with the file for a call.
int64_t Chosen(const std::string& text, domain::Collective collective, int64_t ranks,
               int64_t block_bytes) {
  const auto rules = ParseOpenMpiRules(text);
  EXPECT_TRUE(rules.ok()) << rules.status();
  if (!rules.ok()) return -1;
  const auto rule =
      rules->Find(OpenMpiCollectiveId(collective), ranks,
                  static_cast<int64_t>(OpenMpiMessageBytes(collective, ranks, block_bytes)));
  return rule.has_value() ? rule->algorithm : 0;
}

TEST(ExportOpenMpiFileTest, EachSizeMeetsItsRowInTheLibrarysUnit) {
  const std::vector<DecisionTable> tables = {
      {"alltoall",
       {MakeRow(0, "modified_bruck", 3), MakeRow(100, "default", 0), MakeRow(4097, "pairwise", 2)}},
      {"allreduce", {MakeRow(0, "recursive_doubling", 3), MakeRow(5000, "rabenseifner", 6)}}};
  const std::string text = File(tables, Job(8, 4));
  using domain::Collective;
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, 0), 3);
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, 99), 3);
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, 100), 0);
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, 4096), 0);
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, 4097), 2);
  EXPECT_EQ(Chosen(text, Collective::kAlltoall, 32, int64_t{1} << 40), 2);
  EXPECT_EQ(Chosen(text, Collective::kAllreduce, 32, 4999), 3);
  EXPECT_EQ(Chosen(text, Collective::kAllreduce, 32, 5000), 6);
  EXPECT_EQ(Chosen(text, Collective::kBcast, 32, 5000), 0) << "not in the file";
}

TEST(ExportOpenMpiFileTest, OtherCommunicatorSizesKeepTheLibrarysChoice) {
  const std::string text = File({{"alltoall", {MakeRow(0, "pairwise", 2)}}}, Job(8, 4));
  for (int64_t ranks : {2, 3, 16, 31, 33, 64, 100000}) {
    EXPECT_EQ(Chosen(text, domain::Collective::kAlltoall, ranks, 64), 0) << ranks;
  }
  EXPECT_EQ(Chosen(text, domain::Collective::kAlltoall, 32, 64), 2);
}

TEST(ExportOpenMpiFileTest, TheTwoRankAlgorithmIsUsedForTwoRanksOnly) {
  const std::string text = File({{"alltoall", {MakeRow(0, "two_proc", 5)}}}, Job(2, 1));
  EXPECT_EQ(Chosen(text, domain::Collective::kAlltoall, 2, 64), 5);
  EXPECT_EQ(Chosen(text, domain::Collective::kAlltoall, 3, 64), 0);
  EXPECT_THAT(CheckOpenMpiRules(text, {}), IsEmpty());
}

// For a scan the library compares a size without the count.
TEST(ExportOpenMpiFileTest, ScansHaveOneRowOrNone) {
  const DecisionTable one = {"scan", {MakeRow(0, "recursive_doubling", 2)}};
  const DecisionTable two = {"exscan",
                             {MakeRow(0, "recursive_doubling", 2), MakeRow(9, "linear", 1)}};
  const DecisionTable barrier = {"barrier", {MakeRow(0, "tree", 6)}};
  const std::string text = File({one, two, barrier}, Job(8, 4));
  EXPECT_EQ(Chosen(text, domain::Collective::kScan, 32, 1 << 20), 2);
  EXPECT_EQ(Chosen(text, domain::Collective::kExscan, 32, 0), 0);
  EXPECT_EQ(Chosen(text, domain::Collective::kBarrier, 32, 0), 6);
  EXPECT_THAT(text, HasSubstr("# exscan: 2 choices by size"));
}

// Ranks of these compare different sizes, or sizes that are always 0.
TEST(ExportOpenMpiFileTest, WhatCannotBeToldApartBySizeHasOneRowOrNone) {
  const std::vector<DecisionRow> two = {MakeRow(0, "default", 0), MakeRow(9, "some", 1)};
  for (const char* name : {"gather", "scatter", "alltoallv"}) {
    const std::string text = File({{name, two}}, Job(8, 4));
    const auto collective = *domain::ParseCollective(name);
    EXPECT_THAT(CheckOpenMpiRules(text, {}), IsEmpty()) << text;
    EXPECT_THAT(text, HasSubstr(std::string("# ") + name + ": 2 choices by size"));
    EXPECT_EQ(Chosen(text, collective, 32, 64), 0);
    EXPECT_EQ(Chosen(File({{name, {MakeRow(0, "some", 1)}}}, Job(8, 4)), collective, 32, 64), 1);
  }
}

TEST(ExportOpenMpiFileTest, NothingToChangeIsAFileWithoutEffect) {
  for (const auto& tables :
       {std::vector<DecisionTable>{},
        std::vector<DecisionTable>{{"alltoall", {MakeRow(0, "default", 0)}}}}) {
    const std::string text = File(tables, Job(8, 4));
    EXPECT_THAT(text, HasSubstr("nothing to change"));
    EXPECT_THAT(CheckOpenMpiRules(text, {}), IsEmpty());
    EXPECT_EQ(Chosen(text, domain::Collective::kAlltoall, 32, 64), 0);
  }
  // A job of one rank has nothing to tune, with any tables.
  EXPECT_EQ(Chosen(File({{"alltoall", {MakeRow(0, "pairwise", 2)}}}, Job(1, 1)),
                   domain::Collective::kAlltoall, 2, 64),
            0);
}

TEST(ExportOpenMpiFileTest, HeaderLinesAreCommentsWhateverIsInThem) {
  const auto text = Export({{"alltoall", {MakeRow(0, "pairwise", 2)}}}, Job(8, 4), "file",
                           {"machine m\n7 7 7 7", "cr\r9", "# twice", ""});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, StartsWith("# machine m 7 7 7 7\n# cr 9\n# # twice\n#\n"));
  EXPECT_THAT(CheckOpenMpiRules(*text, {}), IsEmpty());
  EXPECT_EQ(Chosen(*text, domain::Collective::kAlltoall, 32, 64), 2);
}

TEST(ExportOpenMpiFileTest, RefusesTablesThatTheLibraryWouldMisread) {
  const auto code = [](const DecisionTable& table) {
    return Export({table}, Job(8, 4), "file").status().code();
  };
  using absl::StatusCode;
  EXPECT_EQ(code({"alltoall", {}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"alltoall", {MakeRow(8, "pairwise", 2)}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "pairwise", 2), MakeRow(0, "linear", 1)}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"transpose", {MakeRow(0, "pairwise", 2)}}), StatusCode::kNotFound);
  // Sound as a table, but not as a file: an algorithm that does not exist or is wrong for some
  // calls.
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "no_such", 17)}}), StatusCode::kInternal);
  EXPECT_EQ(code({"allreduce", {MakeRow(0, "ring", 4)}}), StatusCode::kInternal);
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "linear", 1), MakeRow(int64_t{1} << 62, "pairwise", 2)}}),
            StatusCode::kInternal);
}

TEST(ExportEnvironmentTest, OneChoiceBecomesAVariable) {
  DecisionRow chain = MakeRow(0, "chain", 2);
  chain.segment_bytes = 8192;
  chain.fanout = 4;
  const auto text = Export({{"alltoall", {MakeRow(0, "pairwise", 2)}},
                            {"bcast", {chain}},
                            {"allreduce", {MakeRow(0, "default", 0)}},
                            {"allgather", {MakeRow(0, "bruck", 2), MakeRow(64, "ring", 4)}}},
                           Job(8, 4), "env", {"machine test"});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("# machine test\n"));
  EXPECT_THAT(*text, HasSubstr("export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n"));
  EXPECT_THAT(*text, HasSubstr("export OMPI_MCA_coll_tuned_alltoall_algorithm=2\n"));
  EXPECT_THAT(*text, HasSubstr("export OMPI_MCA_coll_tuned_bcast_algorithm=2\n"
                               "export OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=8192\n"
                               "export OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout=4\n"));
  EXPECT_THAT(*text, HasSubstr("# allreduce: the library's own choice stays\n"));
  EXPECT_THAT(*text, HasSubstr("# allgather: 2 choices by size; a variable can force only one\n"));
  EXPECT_THAT(*text, Not(HasSubstr("coll_tuned_allgather")));
}

TEST(ExportEnvironmentTest, WhatFailsInOtherCommunicatorsIsNotForced) {
  const auto text = Export({{"alltoall", {MakeRow(0, "two_proc", 5)}}}, Job(2, 1), "env");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, Not(HasSubstr("alltoall_algorithm")));
  EXPECT_THAT(*text, HasSubstr("fails in communicators of more than two ranks"));
}

TEST(ExportEnvironmentTest, MpichTakesNames) {
  const auto text =
      Export({{"alltoall", {MakeRow(0, "brucks", -1)}}, {"bcast", {MakeRow(0, "default", 0)}}},
             Job(8, 4, "mpich-4.0"), "env");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks\n"));
  EXPECT_THAT(*text, Not(HasSubstr("BCAST")));
  EXPECT_THAT(*text, Not(HasSubstr("OMPI")));
}

TEST(ExportEnvironmentTest, OpenMpi5TakesHanOutOfTheWay) {
  const DecisionTable forced = {"allgather", {MakeRow(0, "sparbit", 7)}};
  const auto text = Export({forced}, Job(8, 4, "openmpi-5.0"), "env");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("export OMPI_MCA_coll_han_priority=0\n"));
  EXPECT_THAT(*text, HasSubstr("export OMPI_MCA_coll_tuned_allgather_algorithm=7\n"));
  const auto rules = Export({forced}, Job(8, 4, "openmpi-5.0"), "file");
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_THAT(*rules, HasSubstr("--mca coll_han_priority 0\n"));
  EXPECT_EQ(Export({forced}, Job(8, 4, "openmpi-4.1"), "file").status().code(),
            absl::StatusCode::kInternal);
  // Nothing forced: han stays.
  const auto nothing =
      Export({{"allgather", {MakeRow(0, "default", 0)}}}, Job(8, 4, "openmpi-5.0"), "env");
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_THAT(*nothing, Not(HasSubstr("han_priority")));
}

TEST(ExportEnvironmentTest, EveryFormIsChecked) {
  for (const TuningFormat& format : TuningFormats()) {
    EXPECT_NE(format.check, nullptr) << format.library << " " << format.name;
  }
}

TEST(ExportEnvironmentTest, WhatAbortsOrIsSplitElsewhereIsNotForcedInMpich) {
  const auto aborts = Export({{"reduce_scatter", {MakeRow(0, "noncommutative", -1)}}},
                             Job(1, 8, "mpich-4.0"), "env");
  ASSERT_TRUE(aborts.ok());
  EXPECT_THAT(*aborts, Not(HasSubstr("export")));
  EXPECT_THAT(*aborts, HasSubstr("aborts in communicators of other sizes"));
  const std::vector<DecisionTable> barrier = {{"barrier", {MakeRow(0, "dissemination", -1)}}};
  EXPECT_THAT(*Export(barrier, Job(2, 4, "mpich-4.0"), "env"), Not(HasSubstr("export")));
  EXPECT_THAT(*Export(barrier, Job(8, 1, "mpich-4.0"), "env"), HasSubstr("export"));
}

TEST(ExportTest, WhatCannotBeWrittenIsRefusedInWords) {
  const auto mpich = Export({}, Job(8, 4, "mpich-4.0"), "rules").status();
  EXPECT_EQ(mpich.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(mpich), "format");
  EXPECT_THAT(std::string(mpich.message()), HasSubstr("env"));
  EXPECT_EQ(Export({}, Job(8, 4, "other"), "env").status().code(),
            absl::StatusCode::kUnimplemented);
}

// Several rows of a collective that the format has no sizes for would leave it out of the text.
TEST(TuningFormatTest, TellsWhichCollectivesMayHaveSeveralRows) {
  for (const char* const library : {"intelmpi-2019", "ucc-1"}) {
    const TuningFormat& format = **FindTuningFormat(library, "env");
    TunedJob job = Job(1, 8, library);
    job.assume = {.commutative = true, .elements_at_least_ranks = true, .same_counts = true};
    int apart = 0;
    int together = 0;
    for (const Algorithm& algorithm : AlgorithmsOf(library)) {
      DecisionTable table;
      table.collective = std::string(domain::CollectiveName(algorithm.collective));
      table.rows = {MakeRow(0, "default", 0),
                    MakeRow(4096, std::string(algorithm.native_name), algorithm.native_id)};
      const auto text = WriteTuning({table}, job, format, {});
      ASSERT_TRUE(text.ok()) << text.status();
      const bool is_written = text->find("choices by size") == std::string::npos;
      EXPECT_EQ(format.tells_sizes_apart(algorithm.collective), is_written) << table.collective;
      ++(is_written ? apart : together);
    }
    EXPECT_GT(apart, 0) << library;
    EXPECT_GT(together, 0) << library;
  }
}

}  // namespace
}  // namespace cox::library
