#include "advise/tuning/job_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/cell_key.h"
#include "domain/collective.h"
#include "library/run_time_number.h"
#include "machines.h"

namespace cox::advise {
namespace {

TuningQuestion WithOurs() {
  TuningQuestion question;
  question.job = {"openmpi-4.1", 8, 4, {}};
  question.second_library = std::string(library::kCoxcoll);
  return question;
}

// Cells of an algorithm of libcoxcoll, `factor` times its price.
void AddOurs(const std::string& collective, const std::string& like, const std::string& name,
             double factor, std::vector<learn::Cell>* cells) {
  std::vector<learn::Cell> priced;
  AddPriced(collective, like, factor, &priced);
  for (learn::Cell& cell : priced) {
    cell.library = std::string(library::kCoxcoll);
    cell.algorithm = name;
    cells->push_back(cell);
  }
}

// The share of a collective's rows that run another library.
int RowsOfOurs(const MachineView& machine, const TuningQuestion& question) {
  const auto tables = BuildDecisionTables(machine, question);
  EXPECT_TRUE(tables.ok()) << tables.status();
  int rows = 0;
  for (const library::DecisionTable& table : *tables) {
    for (const library::DecisionRow& row : table.rows) {
      if (row.library == library::kCoxcoll) ++rows;
    }
  }
  return rows;
}

TEST(JobAdviceTest, WhatIsMeasuredToBeFasterRunsInTheLibrarysPlace) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1, &cells);
  AddOurs("alltoall", "linear", "direct", 0.2, &cells);
  const MachinePointer machine = MachineWith(cells);
  JobAdvice advice(*machine, WithOurs(), domain::Collective::kAlltoall);
  const Answer answer = advice.At(4096, false);
  EXPECT_EQ(answer.chosen.algorithm, "direct");
  EXPECT_EQ(answer.chosen.library, library::kCoxcoll);
  EXPECT_LT(answer.chosen.predicted_time_s, answer.default_time_s);
  EXPECT_GT(RowsOfOurs(*machine, WithOurs()), 0);
  // Only if the question names it.
  TuningQuestion without = WithOurs();
  without.second_library.clear();
  EXPECT_EQ(RowsOfOurs(*machine, without), 0);
}

// Calls of jobs wait for the last rank: nothing tells how fast they are.
TEST(JobAdviceTest, ABenchmarksTimeIsNoGainOverAJobs) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1, &cells);
  for (learn::Cell& cell : cells) cell.kind = domain::CellKind::kJob;
  const size_t of_jobs = cells.size();
  AddOurs("alltoall", "linear", "direct", 0.2, &cells);
  EXPECT_EQ(RowsOfOurs(*MachineWith(cells), WithOurs()), 0);
  for (size_t i = of_jobs; i < cells.size(); ++i) cells[i].kind = domain::CellKind::kJob;
  EXPECT_GT(RowsOfOurs(*MachineWith(cells), WithOurs()), 0) << "both were timed in jobs";
}

TEST(JobAdviceTest, WhatNobodyMeasuredDoesNotRun) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 0.9, &cells);
  AddDefault("bcast", "binomial", 100, &cells);
  EXPECT_EQ(RowsOfOurs(*MachineWith(cells), WithOurs()), 0);
}

TEST(JobAdviceTest, WhatIsMeasuredToBeSlowerDoesNotRun) {
  std::vector<learn::Cell> cells;
  AddDefault("bcast", "binomial", 1, &cells);
  AddOurs("bcast", "binomial", "binomial", 1.5, &cells);
  const MachinePointer machine = MachineWith(cells);
  JobAdvice advice(*machine, WithOurs(), domain::Collective::kBcast);
  for (const int64_t bytes : {8, 512, 32768}) {
    EXPECT_NE(advice.At(bytes, false).chosen.library, library::kCoxcoll) << bytes;
  }
}

// Cells of alltoall under Open MPI or libcoxcoll, at sizes at which Open MPI's table says linear:
// `factor` times its price.
void AddTimed(absl::string_view library, const std::string& algorithm, domain::CellKind kind,
              double factor, std::vector<learn::Cell>* cells) {
  for (const int64_t bytes : {512, 4096, 32768, 262144}) {
    learn::Cell cell = learn::MakeCell("alltoall", "linear", 8, 4, bytes, 1);
    cell.mean_log_time = std::log(factor * learn::PriceOf(cell, KnownProfile()));
    cell.library = std::string(library);
    cell.algorithm = algorithm;
    cell.kind = kind;
    cell.weight = 20;
    cells->push_back(cell);
  }
}

absl::string_view LibraryChosen(const std::vector<learn::Cell>& cells) {
  const MachinePointer machine = MachineWith(cells);
  return JobAdvice(*machine, WithOurs(), domain::Collective::kAlltoall)
      .At(4096, false)
      .chosen.library;
}

TEST(JobAdviceTest, WhatJobsMissOfOnePromiseIsMissingOfOursToo) {
  constexpr auto kBenchmark = domain::CellKind::kBenchmark;
  constexpr auto kJob = domain::CellKind::kJob;
  constexpr absl::string_view kTheirs = "openmpi-4.1";
  std::vector<learn::Cell> theirs;
  AddTimed(kTheirs, "default", kBenchmark, 1, &theirs);
  AddTimed(kTheirs, "pairwise", kBenchmark, 0.6, &theirs);
  std::vector<learn::Cell> cells = theirs;
  AddTimed(library::kCoxcoll, "pairwise", kBenchmark, 0.5, &cells);
  EXPECT_EQ(LibraryChosen(cells), library::kCoxcoll);
  // Jobs found the gain over the default ...
  std::vector<learn::Cell> kept = cells;
  AddTimed(kTheirs, "default", kJob, 1, &kept);
  AddTimed(kTheirs, "pairwise", kJob, 0.6, &kept);
  EXPECT_EQ(LibraryChosen(kept), library::kCoxcoll);
  // ... or found a loss: of ours, too.
  AddTimed(kTheirs, "default", kJob, 1, &cells);
  AddTimed(kTheirs, "pairwise", kJob, 2, &cells);
  EXPECT_EQ(LibraryChosen(cells), "");
  AddTimed(library::kCoxcoll, "pairwise", kJob, 2, &cells);
  EXPECT_EQ(LibraryChosen(cells), "");
  // What jobs themselves found is no promise.
  AddTimed(kTheirs, "default", kJob, 1, &theirs);
  AddTimed(kTheirs, "pairwise", kJob, 2, &theirs);
  AddTimed(library::kCoxcoll, "pairwise", kJob, 0.5, &theirs);
  EXPECT_EQ(LibraryChosen(theirs), library::kCoxcoll);
}

TEST(JobAdviceTest, NothingIsDecidedForCountsThatDifferFromRankToRank) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoallv", "pairwise", 1, &cells);
  AddOurs("alltoallv", "linear", "direct", 0.1, &cells);
  EXPECT_EQ(RowsOfOurs(*MachineWith(cells), WithOurs()), 0);
}

TEST(JobAdviceTest, OfLibcoxcollTheFastestTimedAlgorithm) {
  std::vector<learn::Cell> cells;
  AddOurs("alltoall", "linear", "direct", 3, &cells);
  AddOurs("alltoall", "pairwise", "pairwise", 2, &cells);
  const MachinePointer machine = MachineWith(cells);
  TuningQuestion question = WithOurs();
  question.job.library = std::string(library::kCoxcoll);
  question.second_library.clear();
  question.collectives = {"alltoall", "bcast"};
  const auto tables = BuildDecisionTables(*machine, question);
  ASSERT_TRUE(tables.ok()) << tables.status();
  for (const library::DecisionRow& row : (*tables)[0].rows) {
    EXPECT_TRUE(row.algorithm == "direct" || row.algorithm == "pairwise") << row.algorithm;
    EXPECT_GT(row.predicted_time_s, 0);
  }
  JobAdvice bcast(*machine, question, domain::Collective::kBcast);
  EXPECT_EQ(bcast.At(64, false).chosen.algorithm, "default");
}

TEST(JobAdviceTest, OfLibcoxcollASingleTimingDoesNotBeatManySureOnes) {
  std::vector<learn::Cell> cells;
  AddOurs("alltoall", "linear", "direct", 1, &cells);
  std::vector<learn::Cell> few;
  AddOurs("alltoall", "pairwise", "pairwise", 1, &few);
  // Jobs' timings, a little less than what the others take, far from all questions but one.
  few.resize(1);
  few[0].kind = domain::CellKind::kJob;
  few[0].mean_log_time = cells[0].mean_log_time - 0.05;
  cells.push_back(few[0]);
  TuningQuestion question = WithOurs();
  question.job.library = std::string(library::kCoxcoll);
  question.second_library.clear();
  const MachinePointer machine = MachineWith(cells);
  JobAdvice advice(*machine, question, domain::Collective::kAlltoall);
  for (const int64_t bytes : {64, 4096, 262144}) {
    EXPECT_EQ(advice.At(bytes, false).chosen.algorithm, "direct") << bytes;
  }
}

TEST(JobAdviceTest, TheRankedAreOfBothLibraries) {
  std::vector<learn::Cell> cells;
  AddDefault("alltoall", "pairwise", 1, &cells);
  const MachinePointer machine = MachineWith(cells);
  JobAdvice advice(*machine, WithOurs(), domain::Collective::kAlltoall);
  int ours = 0, theirs = 0;
  for (const Candidate& candidate : advice.At(64, true).ranked) {
    ++(candidate.library == library::kCoxcoll ? ours : theirs);
  }
  EXPECT_GE(ours, 6);
  EXPECT_GE(theirs, 4);
}

TEST(JobAdviceTest, OnlyOursCanBeTheSecond) {
  TuningQuestion question = WithOurs();
  question.second_library = "mpich-4.0";
  const auto tables = BuildDecisionTables(*MachineWith({}), question);
  EXPECT_EQ(tables.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(JobAdviceTest, OursAreTriedToo) {
  // The library's times are known well, libcoxcoll's are not.
  std::vector<learn::Cell> cells;
  for (const char* name : {"linear", "pairwise", "modified_bruck", "linear_sync"}) {
    AddPriced("alltoall", name, 1, &cells);
  }
  AddDefault("alltoall", "pairwise", 1, &cells);
  for (learn::Cell& cell : cells) cell.kind = domain::CellKind::kJob;
  const MachinePointer machine = MachineWith(cells);
  auto tables = BuildDecisionTables(*machine, WithOurs());
  ASSERT_TRUE(tables.ok());
  const auto by_size = [](domain::Collective) { return true; };
  EXPECT_TRUE(AddTrials(*machine, WithOurs(), 0.5, by_size, absl::MakeSpan(*tables)).ok());
  int trials = 0;
  for (const library::DecisionTable& table : *tables) {
    for (const library::DecisionRow& row : table.rows) {
      if (row.trial.empty()) continue;
      EXPECT_EQ(row.library, library::kCoxcoll) << row.algorithm << ' ' << row.trial;
      ++trials;
    }
  }
  EXPECT_GT(trials, 0);
}

}  // namespace
}  // namespace cox::advise
