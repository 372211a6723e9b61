#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "advise/tuning.h"
#include "machines.h"
#include "model/errors.h"
#include "strategy/openmpi_rules.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TuningQuestion Job(int64_t nodes, int64_t ppn, const std::string& library = "openmpi-4.1") {
  TuningQuestion question;
  question.library = library;
  question.nodes = nodes;
  question.ppn = ppn;
  return question;
}

DecisionRow MakeRow(int64_t block_bytes, const std::string& algorithm, int native_id) {
  DecisionRow row;
  row.block_bytes = block_bytes;
  row.algorithm = algorithm;
  row.native_id = native_id;
  return row;
}

std::string File(const std::vector<DecisionTable>& tables, const TuningQuestion& question) {
  const auto text = ExportTuning(tables, question, TuningFormat::kFile, {});
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

// What the library does with the file for a call.
int64_t Chosen(const std::string& text, strategy::Collective collective, int64_t ranks,
               int64_t block_bytes) {
  const auto rules = strategy::ParseOpenMpiRules(text);
  EXPECT_TRUE(rules.ok()) << rules.status();
  if (!rules.ok()) return -1;
  const auto rule = rules->Find(
      strategy::OpenMpiCollectiveId(collective), ranks,
      static_cast<int64_t>(strategy::OpenMpiMessageBytes(collective, ranks, block_bytes)));
  return rule.has_value() ? rule->algorithm : 0;
}

TEST(ExportOpenMpiFileTest, EachSizeMeetsItsRowInTheLibrarysUnit) {
  const std::vector<DecisionTable> tables = {
      {"alltoall",
       {MakeRow(0, "modified_bruck", 3), MakeRow(100, "default", 0), MakeRow(4097, "pairwise", 2)}},
      {"allreduce", {MakeRow(0, "recursive_doubling", 3), MakeRow(5000, "rabenseifner", 6)}}};
  const std::string text = File(tables, Job(8, 4));
  using strategy::Collective;
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
    EXPECT_EQ(Chosen(text, strategy::Collective::kAlltoall, ranks, 64), 0) << ranks;
  }
  EXPECT_EQ(Chosen(text, strategy::Collective::kAlltoall, 32, 64), 2);
}

TEST(ExportOpenMpiFileTest, TheTwoRankAlgorithmIsUsedForTwoRanksOnly) {
  const std::string text = File({{"alltoall", {MakeRow(0, "two_proc", 5)}}}, Job(2, 1));
  EXPECT_EQ(Chosen(text, strategy::Collective::kAlltoall, 2, 64), 5);
  EXPECT_EQ(Chosen(text, strategy::Collective::kAlltoall, 3, 64), 0);
  EXPECT_THAT(CheckOpenMpiRules(text), IsEmpty());
}

TEST(ExportOpenMpiFileTest, WhatIsDecidedIsSoundForEveryShape) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 4, &cells);
  AddDefault("allreduce", "ring", 4, &cells);
  AddDefault("allgather", "ring", 4, &cells);
  AddDefault("bcast", "binomial", 4, &cells);
  const MachinePointer machine = MachineWith(cells);
  int with_rules = 0;
  for (int64_t nodes : {1, 2, 3, 7, 8, 16, 1000, 1 << 20}) {
    for (int64_t ppn : {1, 2, 3, 4}) {
      for (bool commutative : {false, true}) {
        TuningQuestion question = Job(nodes, ppn);
        question.allow_commutative_only = commutative;
        const auto tables = BuildDecisionTables(*machine, question);
        ASSERT_TRUE(tables.ok());
        const auto text =
            ExportTuning(*tables, question, TuningFormat::kFile, {"machine test", "revision 3"});
        ASSERT_TRUE(text.ok()) << nodes << " x " << ppn << ": " << text.status();
        EXPECT_THAT(CheckOpenMpiRules(*text, commutative), IsEmpty());
        // Every row of every table is what the library will do there.
        for (const DecisionTable& table : *tables) {
          const auto collective = *strategy::ParseCollective(table.collective);
          for (const DecisionRow& row : table.rows) {
            if (nodes * ppn < 2) continue;
            EXPECT_EQ(Chosen(*text, collective, nodes * ppn, row.block_bytes), row.native_id);
            with_rules += row.native_id != 0 ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(with_rules, 20);
}

// The library compares rules for a scan with a size that the count is not part of.
TEST(ExportOpenMpiFileTest, ScansHaveOneRowOrNone) {
  const DecisionTable one = {"scan", {MakeRow(0, "recursive_doubling", 2)}};
  const DecisionTable two = {"exscan",
                             {MakeRow(0, "recursive_doubling", 2), MakeRow(9, "linear", 1)}};
  const DecisionTable barrier = {"barrier", {MakeRow(0, "tree", 6)}};
  const std::string text = File({one, two, barrier}, Job(8, 4));
  EXPECT_EQ(Chosen(text, strategy::Collective::kScan, 32, 1 << 20), 2);
  EXPECT_EQ(Chosen(text, strategy::Collective::kExscan, 32, 0), 0);
  EXPECT_EQ(Chosen(text, strategy::Collective::kBarrier, 32, 0), 6);
  EXPECT_THAT(text, HasSubstr("# exscan: 2 choices by size"));
}

TEST(ExportOpenMpiFileTest, NothingToChangeIsAFileWithoutEffect) {
  for (const auto& tables :
       {std::vector<DecisionTable>{},
        std::vector<DecisionTable>{{"alltoall", {MakeRow(0, "default", 0)}}}}) {
    const std::string text = File(tables, Job(8, 4));
    EXPECT_THAT(text, HasSubstr("nothing to change"));
    EXPECT_THAT(CheckOpenMpiRules(text), IsEmpty());
    EXPECT_EQ(Chosen(text, strategy::Collective::kAlltoall, 32, 64), 0);
  }
  // A job of one rank has nothing to tune, whatever the tables say.
  EXPECT_EQ(Chosen(File({{"alltoall", {MakeRow(0, "pairwise", 2)}}}, Job(1, 1)),
                   strategy::Collective::kAlltoall, 2, 64),
            0);
}

TEST(ExportOpenMpiFileTest, HeaderLinesAreCommentsWhateverIsInThem) {
  const auto text =
      ExportTuning({{"alltoall", {MakeRow(0, "pairwise", 2)}}}, Job(8, 4), TuningFormat::kFile,
                   {"machine m\n7 7 7 7", "cr\r9", "# twice", ""});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, StartsWith("# machine m 7 7 7 7\n# cr 9\n# # twice\n#\n"));
  EXPECT_THAT(CheckOpenMpiRules(*text), IsEmpty());
  EXPECT_EQ(Chosen(*text, strategy::Collective::kAlltoall, 32, 64), 2);
}

TEST(ExportOpenMpiFileTest, RefusesTablesThatTheLibraryWouldMisread) {
  const auto code = [](const DecisionTable& table) {
    return ExportTuning({table}, Job(8, 4), TuningFormat::kFile, {}).status().code();
  };
  using absl::StatusCode;
  EXPECT_EQ(code({"alltoall", {}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"alltoall", {MakeRow(8, "pairwise", 2)}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "pairwise", 2), MakeRow(0, "linear", 1)}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"transpose", {MakeRow(0, "pairwise", 2)}}), StatusCode::kNotFound);
  // Sound as a table, yet no file: an algorithm that does not exist, or is wrong for some calls.
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "no_such", 17)}}), StatusCode::kInternal);
  EXPECT_EQ(code({"allreduce", {MakeRow(0, "ring", 4)}}), StatusCode::kInternal);
  EXPECT_EQ(code({"alltoall", {MakeRow(0, "linear", 1), MakeRow(int64_t{1} << 62, "pairwise", 2)}}),
            StatusCode::kInternal);
}

TEST(ExportEnvironmentTest, OneChoiceBecomesAVariable) {
  DecisionRow chain = MakeRow(0, "chain", 2);
  chain.segment_bytes = 8192;
  chain.fanout = 4;
  const auto text = ExportTuning({{"alltoall", {MakeRow(0, "pairwise", 2)}},
                                  {"bcast", {chain}},
                                  {"allreduce", {MakeRow(0, "default", 0)}},
                                  {"allgather", {MakeRow(0, "bruck", 2), MakeRow(64, "ring", 4)}}},
                                 Job(8, 4), TuningFormat::kEnvironment, {"machine test"});
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
  const auto text = ExportTuning({{"alltoall", {MakeRow(0, "two_proc", 5)}}}, Job(2, 1),
                                 TuningFormat::kEnvironment, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, Not(HasSubstr("alltoall_algorithm")));
  EXPECT_THAT(*text, HasSubstr("fails in communicators of more than two ranks"));
}

TEST(ExportEnvironmentTest, MpichTakesNames) {
  const auto text = ExportTuning(
      {{"alltoall", {MakeRow(0, "brucks", -1)}}, {"bcast", {MakeRow(0, "default", 0)}}},
      Job(8, 4, "mpich-4.0"), TuningFormat::kEnvironment, {});
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks\n"));
  EXPECT_THAT(*text, Not(HasSubstr("BCAST")));
  EXPECT_THAT(*text, Not(HasSubstr("OMPI")));
}

TEST(ExportTest, WhatCannotBeWrittenIsRefusedInWords) {
  const auto mpich = ExportTuning({}, Job(8, 4, "mpich-4.0"), TuningFormat::kFile, {}).status();
  EXPECT_EQ(mpich.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(mpich.message()), HasSubstr("mpich-4.0 (env)"));
  EXPECT_EQ(ExportTuning({}, Job(8, 4, "other"), TuningFormat::kEnvironment, {}).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace cox::advise
