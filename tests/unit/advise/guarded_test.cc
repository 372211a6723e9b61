// What canaries have shown: withdrawn algorithms, and what answers rest on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "advise/recommend.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/cell_key.h"
#include "domain/withdrawal.h"
#include "machines.h"

namespace cox::advise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// On 8 nodes of 4 ranks, as Ask() has it.
domain::Comparison Compared(const std::string& algorithm, int64_t min_block_bytes) {
  return {.calls = {.library = "openmpi-4.1",
                    .collective = "alltoall",
                    .algorithm = algorithm,
                    .nodes = 8,
                    .ppn = 4,
                    .ranks = 32,
                    .min_block_bytes = min_block_bytes,
                    .max_block_bytes = 2 * min_block_bytes - 1},
          .log_factor = std::log(2.0),
          .pair_count = 12,
          .job_count = 2};
}

domain::Withdrawal Withdrawn(const std::string& algorithm, int64_t min_block_bytes) {
  domain::Withdrawal withdrawal;
  withdrawal.machine = "test";
  withdrawal.evidence = Compared(algorithm, min_block_bytes);
  return withdrawal;
}

// The default takes three times as long as pairwise's price, and linear twice as long.
std::vector<learn::Cell> Cells() {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 3, &cells);
  AddPriced("alltoall", "pairwise", 1, &cells);
  return cells;
}

MachinePointer Guarded(GuardFacts guard, std::vector<learn::Cell> cells = Cells()) {
  return BuildMachineView("test", 16, 4, 3, KnownProfile(), cells, std::move(guard));
}

std::string Chosen(const MachineView& machine, int64_t block_bytes) {
  return Recommend(machine, Ask("alltoall", block_bytes), false).chosen.algorithm;
}

TEST(WithdrawnTest, AWithdrawnAlgorithmIsNotChosenInItsClassOfSizes) {
  const std::string best = Chosen(*Guarded({}), 4096);
  ASSERT_NE(best, "default");
  const MachinePointer machine = Guarded({.withdrawals = {Withdrawn(best, 4096)}});
  EXPECT_NE(Chosen(*machine, 4096), best);
  EXPECT_NE(Chosen(*machine, 8191), best);
  EXPECT_EQ(Chosen(*machine, 8192), Chosen(*Guarded({}), 8192));
  EXPECT_EQ(Chosen(*machine, 2048), Chosen(*Guarded({}), 2048));
}

TEST(WithdrawnTest, OtherShapesKeepIt) {
  const std::string best = Chosen(*Guarded({}), 4096);
  domain::Withdrawal withdrawal = Withdrawn(best, 4096);
  withdrawal.evidence.calls.nodes = 4;
  withdrawal.evidence.calls.ranks = 16;
  EXPECT_EQ(Chosen(*Guarded({.withdrawals = {withdrawal}}), 4096), best);
}

TEST(WithdrawnTest, AloneItLeavesTheDefaultAndTheReasonSaysSo) {
  const std::string best = Chosen(*Guarded({}), 4096);
  Question question = Ask("alltoall", 4096);
  question.candidates = {best, "default"};
  const Answer answer = Recommend(*Guarded({.withdrawals = {Withdrawn(best, 4096)}}), question,
                                  /*with_ranked=*/true);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_THAT(answer.reason, HasSubstr(best + " was withdrawn: 2.00 times the default's time in 12 "
                                              "comparisons"));
  ASSERT_EQ(answer.ranked.size(), 2);
  for (const Candidate& candidate : answer.ranked) {
    EXPECT_EQ(candidate.is_withdrawn, candidate.algorithm == best) << candidate.algorithm;
  }
  EXPECT_THAT(Recommend(*Guarded({}), question, false).reason, Not(HasSubstr("withdrawn")));
}

TEST(WithdrawnTest, TheOnlyCandidateIsNoLackOfData) {
  const std::string best = Chosen(*Guarded({}), 4096);
  Question question = Ask("alltoall", 4096);
  question.candidates = {best};
  const Answer answer = Recommend(*Guarded({.withdrawals = {Withdrawn(best, 4096)}}), question,
                                  /*with_ranked=*/false);
  EXPECT_EQ(answer.chosen.algorithm, "default");
  EXPECT_EQ(answer.reason,
            "keeps the default: canaries showed every known alternative to be slower; " + best +
                " was withdrawn: 2.00 times the default's time in 12 comparisons");
}

TEST(WithdrawnTest, TablesAndTrialsLeaveItOut) {
  std::vector<learn::Cell> cells = Cells();
  // Jobs spend their time at 4096 bytes.
  learn::Cell spent = learn::MakeCell("alltoall", "default", 8, 4, 4096, 1e-3);
  spent.kind = domain::CellKind::kJob;
  spent.weight = 1000;
  cells.push_back(spent);
  const std::string best = Chosen(*Guarded({}, cells), 4096);
  const MachinePointer machine = Guarded({.withdrawals = {Withdrawn(best, 4096)}}, cells);
  TuningQuestion question;
  question.job = {.library = "openmpi-4.1", .nodes = 8, .ppn = 4, .assume = {}};
  question.collectives = {"alltoall"};
  auto tables = BuildDecisionTables(*machine, question);
  ASSERT_TRUE(tables.ok()) << tables.status();
  const auto by_size = [](domain::Collective) { return true; };
  EXPECT_TRUE(AddTrials(*machine, question, 0.5, by_size, absl::MakeSpan(*tables)).ok());
  ASSERT_EQ(tables->size(), 1);
  for (size_t i = 0; i < tables->front().rows.size(); ++i) {
    const library::DecisionRow& row = tables->front().rows[i];
    const bool holds = row.block_bytes <= 4096 && (i + 1 == tables->front().rows.size() ||
                                                   tables->front().rows[i + 1].block_bytes > 4096);
    if (holds) {
      EXPECT_NE(row.algorithm, best);
    }
  }
}

Evidence EvidenceAt(const MachineView& machine, int64_t block_bytes) {
  return Recommend(machine, Ask("alltoall", block_bytes), false).evidence;
}

TEST(EvidenceTest, APriceAlone) {
  EXPECT_EQ(EvidenceAt(*Guarded({}, {}), 4096), Evidence{.price = true});
  // Nothing is known: there is no time that could rest on anything.
  EXPECT_EQ(EvidenceAt(*MachineWith({}, {}), 4096), Evidence());
}

TEST(EvidenceTest, BenchmarksJobsOrBoth) {
  EXPECT_EQ(EvidenceAt(*Guarded({}), 4096), Evidence{.benchmark = true});
  std::vector<learn::Cell> jobs = Cells();
  for (learn::Cell& cell : jobs) cell.kind = domain::CellKind::kJob;
  EXPECT_EQ(EvidenceAt(*Guarded({}, jobs), 4096), Evidence{.jobs = true});
  const std::vector<learn::Cell> benchmarks = Cells();
  jobs.insert(jobs.end(), benchmarks.begin(), benchmarks.end());
  EXPECT_EQ(EvidenceAt(*Guarded({}, jobs), 4096), (Evidence{.benchmark = true, .jobs = true}));
}

TEST(EvidenceTest, CanariesOfTheSameCalls) {
  const std::string best = Chosen(*Guarded({}), 4096);
  domain::Comparison comparison = Compared(best, 4096);
  comparison.log_factor = std::log(0.5);
  const MachinePointer machine = Guarded({.comparisons = {comparison}});
  EXPECT_EQ(EvidenceAt(*machine, 5000), (Evidence{.benchmark = true, .canary = true}));
  EXPECT_EQ(EvidenceAt(*machine, 8192), Evidence{.benchmark = true});
}

}  // namespace
}  // namespace cox::advise
