#include "advise/tuning/explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/cell_key.h"
#include "domain/collective.h"
#include "domain/level.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "domain/profile.h"
#include "learn/refine/refine.h"
#include "library/algorithms.h"
#include "machines.h"

namespace cox::advise {
namespace {

using Tables = std::vector<library::DecisionTable>;

bool BySize(domain::Collective /*collective*/) { return true; }

TuningQuestion ExploredNodes() {
  TuningQuestion question;
  question.job = {"openmpi-4.1", 8, 4, {}};
  question.collectives = {"alltoall", "allgather", "allreduce", "bcast"};
  return question;
}

Tables TablesOf(const MachineView& machine, const TuningQuestion& question, double share) {
  auto tables = BuildDecisionTables(machine, question);
  EXPECT_TRUE(tables.ok()) << tables.status();
  EXPECT_TRUE(AddTrials(machine, question, share, BySize, absl::MakeSpan(*tables)).ok());
  return *std::move(tables);
}

std::vector<library::DecisionRow> TrialsOf(const Tables& tables) {
  std::vector<library::DecisionRow> trials;
  for (const library::DecisionTable& table : tables) {
    for (const library::DecisionRow& row : table.rows) {
      if (!row.trial.empty()) trials.push_back(row);
    }
  }
  return trials;
}

const std::string& RunAt(const Tables& tables, const std::string& collective, int64_t bytes) {
  static const std::string kDefault = "default";
  for (const library::DecisionTable& table : tables) {
    if (table.collective != collective) continue;
    size_t i = table.rows.size() - 1;
    while (i > 0 && table.rows[i].block_bytes > bytes) --i;
    return table.rows[i].algorithm;
  }
  return kDefault;
}

// An application on a machine without a calibration. True times are LogGP's prices with unknown
// parameters, times a factor of each implementation, times noise.
class SimulatedMachine {
 public:
  struct Call {
    std::string collective;
    int64_t bytes;
    double count;
  };
  const std::vector<Call> kMix = {{"alltoall", 1024, 40},
                                  {"allgather", 4096, 60},
                                  {"allreduce", 65536, 50},
                                  {"bcast", 8192, 90},
                                  {"bcast", 262144, 10}};

  SimulatedMachine() {
    for (const auto& [level, latency_s, byte_s] :
         {std::tuple(domain::Level::kNode, 6e-7, 1.5e-10),
          std::tuple(domain::Level::kNetwork, 5e-6, 9e-10)}) {
      truth_.Set(learn::MakeParameter("loggp", level, "L", latency_s));
      truth_.Set(learn::MakeParameter("loggp", level, "o", latency_s / 4));
      truth_.Set(learn::MakeParameter("loggp", level, "G", byte_s));
    }
  }

  // The default runs what the library's table says.
  double TrueTime(const Call& call, const std::string& algorithm) const {
    const learn::Cell cell = learn::MakeCell(call.collective, algorithm, 8, 4, call.bytes, 1);
    const auto scenario = learn::ScenarioOf(cell);
    const learn::Structure structure =
        learn::Resolve(cell.library, algorithm, *scenario, library::kUsualCalls);
    if (structure.effective == nullptr) return 0;
    const std::string ran(structure.effective->native_name);
    // Between 0.8 and 1.3, the same for the same code.
    double mixed = 0;
    for (const char c : call.collective + ran) mixed = std::fmod(31 * mixed + c, 1009);
    return learn::PriceOf(cell, truth_, "loggp") * (0.8 + 0.5 * mixed / 1009);
  }

  double BestTime(const Call& call, const TuningQuestion& question) const {
    const auto collective = domain::ParseCollective(call.collective);
    double best = HUGE_VAL;
    for (const std::string& name : QuestionFor(question, *collective).candidates) {
      const double time_s = TrueTime(call, name);
      if (time_s > 0) best = std::min(best, time_s);
    }
    return best;
  }

  // Runs a job by the tables: returns its time and adds its observations.
  double Run(const Tables& tables) {
    double total_s = 0;
    std::vector<learn::Cell> fresh;
    for (const Call& call : kMix) {
      const std::string& algorithm = RunAt(tables, call.collective, call.bytes);
      const double time_s = noise_(TrueTime(call, algorithm));
      total_s += call.count * time_s;
      learn::Cell cell = learn::MakeCell(call.collective, algorithm, 8, 4, call.bytes, time_s);
      cell.kind = domain::CellKind::kJob;
      cell.weight = call.count;
      fresh.push_back(cell);
      Keep(cell);
    }
    profile_ = learn::Refine(profile_, fresh).profile;
    return total_s;
  }

  MachinePointer View() const {
    std::vector<learn::Cell> cells;
    for (const auto& [key, cell] : cells_) cells.push_back(cell);
    return MachineWith(cells, profile_);
  }

 private:
  void Keep(const learn::Cell& cell) {
    learn::Cell& kept =
        cells_[cell.collective + "/" + cell.algorithm + "/" + std::to_string(cell.block_bytes)];
    if (kept.collective.empty()) {
      kept = cell;
      return;
    }
    const double weight = kept.weight + cell.weight;
    kept.mean_log_time += (cell.mean_log_time - kept.mean_log_time) * cell.weight / weight;
    kept.weight = weight;
  }

  domain::Profile truth_;
  domain::Profile profile_;  // as coxd knows it
  std::map<std::string, learn::Cell> cells_;
  learn::Noise noise_{21, 0.02};
};

TEST(ExploreTest, NothingIsTriedWithoutAShareOrWithoutObservations) {
  SimulatedMachine machine;
  EXPECT_TRUE(TrialsOf(TablesOf(*machine.View(), ExploredNodes(), 0.5)).empty());
  EXPECT_TRUE(TrialsOf(TablesOf(*MachineWith({}), ExploredNodes(), 0.5)).empty());
  machine.Run({});
  EXPECT_TRUE(TrialsOf(TablesOf(*machine.View(), ExploredNodes(), 0)).empty());
  EXPECT_FALSE(TrialsOf(TablesOf(*machine.View(), ExploredNodes(), 0.5)).empty());
}

TEST(ExploreTest, AnApplicationAloneTeachesTheBestAlgorithmsWithinTheBudget) {
  constexpr double kShare = 0.05;
  constexpr int kJobs = 40;
  const TuningQuestion question = ExploredNodes();
  SimulatedMachine machine;
  double total_s = 0;
  double excess_s = 0;
  machine.Run({});  // untuned
  int last_trial = 0;
  for (int job = 1; job < kJobs; ++job) {
    const MachinePointer view = machine.View();
    const Tables best_known = TablesOf(*view, question, 0);
    const Tables tables = TablesOf(*view, question, kShare);
    if (!TrialsOf(tables).empty()) last_trial = job;
    for (const auto& call : machine.kMix) {
      excess_s +=
          call.count * (machine.TrueTime(call, RunAt(tables, call.collective, call.bytes)) -
                        machine.TrueTime(call, RunAt(best_known, call.collective, call.bytes)));
    }
    total_s += machine.Run(tables);
  }
  // Trials end, cost at most the share, and find the best algorithm.
  EXPECT_LT(last_trial, kJobs - 10);
  EXPECT_LE(excess_s, kShare * total_s);
  // A gain within its uncertainty is not taken, hence 10 % for the worst.
  const Tables learned = TablesOf(*machine.View(), question, 0);
  size_t near_best = 0;
  for (const auto& call : machine.kMix) {
    const std::string& chosen = RunAt(learned, call.collective, call.bytes);
    const double times_best = machine.TrueTime(call, chosen) / machine.BestTime(call, question);
    EXPECT_LE(times_best, 1.10) << call.collective << " " << call.bytes << ": " << chosen;
    if (times_best <= 1.05) ++near_best;
  }
  EXPECT_GT(2 * near_best, machine.kMix.size()) << "last trial in job " << last_trial;
}

TEST(ExploreTest, AnotherCodeOfTheSameStructureIsTriedToo) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"allreduce"};
  question.job.assume.commutative = question.job.assume.elements_at_least_ranks = true;
  const auto timed = [](const std::string& algorithm, double time_s) {
    learn::Cell cell = learn::MakeCell("allreduce", algorithm, 8, 4, 65536, time_s);
    cell.kind = domain::CellKind::kJob;
    cell.weight = 50;
    return cell;
  };
  // Both rings have the same structure.
  std::vector<learn::Cell> cells = {timed("default", 1e-3), timed("ring", 1.02e-3)};
  std::set<std::string> tried;
  for (int job = 0; job < 20; ++job) {
    const MachinePointer machine = MachineWith(cells, learn::Refine({}, cells).profile);
    for (const auto& row : TrialsOf(TablesOf(*machine, question, kMaxExploreShare))) {
      tried.insert(row.algorithm);
      cells.push_back(timed(row.algorithm, 2e-3));
    }
  }
  EXPECT_FALSE(tried.contains("ring"));
  EXPECT_TRUE(tried.contains("segmented_ring"));
}

// Whether the ring is tried at one size where jobs have made 1000 calls of the default, `sampled`
// of them with ranks that entered together, and `trial_calls` of the ring, `trial_samples`
// likewise.
bool TriesTheRing(double sampled, double trial_calls, double trial_samples) {
  constexpr double kCalls = 1000;
  TuningQuestion question = ExploredNodes();
  question.collectives = {"allreduce"};
  question.job.assume.commutative = question.job.assume.elements_at_least_ranks = true;
  std::vector<learn::Cell> cells;
  const auto add = [&cells](const std::string& algorithm, domain::CellKind kind, double weight,
                            double time_s) {
    if (weight == 0) return;
    cells.push_back(learn::MakeCell("allreduce", algorithm, 8, 4, 65536, time_s));
    cells.back().kind = kind;
    cells.back().weight = weight;
  };
  add("default", domain::CellKind::kJob, kCalls, 1.1e-3);
  add("default", domain::CellKind::kBenchmark, sampled, 1e-3);
  add("ring", domain::CellKind::kJob, trial_calls, 1.1e-3);
  add("ring", domain::CellKind::kBenchmark, trial_samples, 1e-3);
  // All others are known to be slow, from few calls, sampled as often as the default's.
  for (const library::Algorithm& row : library::AlgorithmsOf("openmpi-4.1")) {
    if (row.collective != domain::Collective::kAllreduce || row.native_name == "ring") continue;
    constexpr double kFewCalls = 5;
    add(std::string(row.native_name), domain::CellKind::kJob, kFewCalls, 5e-3);
    add(std::string(row.native_name), domain::CellKind::kBenchmark, sampled * kFewCalls / kCalls,
        5e-3);
  }
  const MachinePointer machine = MachineWith(cells, learn::Refine({}, cells).profile);
  const auto trials = TrialsOf(TablesOf(*machine, question, kMaxExploreShare));
  return std::any_of(trials.begin(), trials.end(),
                     [](const library::DecisionRow& row) { return row.algorithm == "ring"; });
}

TEST(ExploreTest, ATrialWhoseCallsWereNotSampledIsNotOverYet) {
  EXPECT_TRUE(TriesTheRing(10, 50, 0)) << "half a sample was to be expected";
  EXPECT_FALSE(TriesTheRing(10, 50, 1));
  // Without sampling no trial waits for samples.
  EXPECT_FALSE(TriesTheRing(0, 50, 0));
}

TEST(ExploreTest, ATrialThatSamplesDoNotReachEndsAllTheSame) {
  EXPECT_FALSE(TriesTheRing(10, 800, 0)) << "several were to be expected";
  EXPECT_TRUE(TriesTheRing(1, 800, 0));
  EXPECT_FALSE(TriesTheRing(1, 5000, 0)) << "several were due";
}

// Calls take three times as long in jobs. An earlier trial was as fast as the default, so it has
// cost nothing.
TEST(ExploreTest, WhatWaitsInJobsIsNoCostOfTrials) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"allreduce"};
  question.job.assume.commutative = question.job.assume.elements_at_least_ranks = true;
  std::vector<learn::Cell> cells;
  const auto add = [&cells](const std::string& algorithm, domain::CellKind kind, double weight,
                            int64_t bytes, double time_s) {
    cells.push_back(learn::MakeCell("allreduce", algorithm, 8, 4, bytes, time_s));
    cells.back().kind = kind;
    cells.back().weight = weight;
  };
  for (const int64_t bytes : {16384, 32768, 65536, 131072, 262144}) {
    add("default", domain::CellKind::kJob, 900, bytes, 3e-3);
    add("default", domain::CellKind::kBenchmark, 50, bytes, 1e-3);
    add("ring", domain::CellKind::kJob, 100, bytes, 3e-3);
    add("ring", domain::CellKind::kBenchmark, 50, bytes, 1e-3);
  }
  constexpr double kShare = 0.05;
  EXPECT_FALSE(
      TrialsOf(TablesOf(*MachineWith(cells, learn::Refine({}, cells).profile), question, kShare))
          .empty());
  // One that was twice as slow has cost more than the share.
  for (learn::Cell& cell : cells) {
    if (cell.algorithm == "ring") cell.mean_log_time += std::log(2.0);
  }
  EXPECT_TRUE(
      TrialsOf(TablesOf(*MachineWith(cells, learn::Refine({}, cells).profile), question, kShare))
          .empty());
}

// Whether anything is tried where jobs made so many calls of the default and of pairwise, which
// took `times` as long. Today's choice is the default, at sizes at which it runs linear.
bool TriesBesidePairwise(double calls_of_default, double calls_of_pairwise, double times) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"alltoall"};
  std::vector<learn::Cell> cells;
  for (const int64_t bytes : {512, 4096, 32768, 262144}) {
    learn::Cell cell = learn::MakeCell("alltoall", "default", 8, 4, bytes, 1);
    cell.mean_log_time = std::log(learn::PriceOf(cell, KnownProfile()));
    cell.kind = domain::CellKind::kJob;
    cell.weight = calls_of_default;
    cells.push_back(cell);
    cell.algorithm = "pairwise";
    cell.mean_log_time += std::log(times);
    cell.weight = calls_of_pairwise;
    cells.push_back(cell);
  }
  constexpr double kShare = 0.05;
  return !TrialsOf(TablesOf(*MachineWith(cells), question, kShare)).empty();
}

// Pairwise was the choice of as many jobs as ran the default, before a faster one was found.
TEST(ExploreTest, AnEarlierChoiceIsNoTrial) {
  EXPECT_TRUE(TriesBesidePairwise(1e5, 1e5, 1.3));
  // One job in ten ran it: a trial, however many calls that job made.
  EXPECT_FALSE(TriesBesidePairwise(900, 100, 2));
  EXPECT_FALSE(TriesBesidePairwise(9e5, 1e5, 2));
  EXPECT_TRUE(TriesBesidePairwise(9e5, 1e5, 1.3)) << "it cost less than the share";
}

TEST(ExploreTest, AJobOfManySizesIsExploredToo) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"alltoall"};
  std::vector<learn::Cell> cells;
  for (int64_t bytes = 64; bytes < 65536; bytes += 64) {
    cells.push_back(learn::MakeCell("alltoall", "default", 8, 4, bytes, 1));
    cells.back().mean_log_time = std::log(3 * learn::PriceOf(cells.back(), KnownProfile()));
    cells.back().kind = domain::CellKind::kJob;
  }
  const Tables tables = TablesOf(*MachineWith(cells), question, kMaxExploreShare);
  EXPECT_GT(TrialsOf(tables).size(), 1U);
}

// A reporter may send any size up to the limit.
TEST(ExploreTest, TheLargestSizeIsExploredToo) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"alltoall"};
  std::vector<learn::Cell> cells = {
      learn::MakeCell("alltoall", "default", 8, 4, domain::kMaxBlockBytes, 1)};
  cells.back().mean_log_time = std::log(3 * learn::PriceOf(cells.back(), KnownProfile()));
  cells.back().kind = domain::CellKind::kJob;
  const auto trials = TrialsOf(TablesOf(*MachineWith(cells), question, kMaxExploreShare));
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].block_bytes, domain::kMaxBlockBytes) << "a power of two";
}

// A trial at a size that takes 1 % of the job's time also tells about the size that takes the rest:
// its worth may be many times the time of its own calls.
TEST(ExploreTest, ATrialSaysItsWorthAsAShareOfTheJob) {
  TuningQuestion question = ExploredNodes();
  question.collectives = {"alltoall"};
  std::vector<learn::Cell> cells;
  for (const auto& [bytes, calls] : {std::pair<int64_t, double>(2047, 1), {2048, 100}}) {
    cells.push_back(learn::MakeCell("alltoall", "default", 8, 4, bytes, 1e-3));
    cells.back().kind = domain::CellKind::kJob;
    cells.back().weight = calls;
  }
  const auto trials = TrialsOf(TablesOf(*MachineWith(cells), question, kMaxExploreShare));
  const auto small =
      std::find_if(trials.begin(), trials.end(),
                   [](const library::DecisionRow& row) { return row.block_bytes == 1024; });
  ASSERT_NE(small, trials.end());
  double worth_percent = 0;
  double cost_percent = 0;
  const size_t figures = small->trial.find(": worth ");
  ASSERT_NE(figures, std::string::npos);
  ASSERT_EQ(std::sscanf(small->trial.c_str() + figures,
                        ": worth %lf %% of the job's time in collectives, at a cost of %lf %%",
                        &worth_percent, &cost_percent),
            2)
      << small->trial;
  EXPECT_GT(worth_percent, 2) << "more than the time of its own calls";
  EXPECT_LT(worth_percent, 100);
  EXPECT_LE(cost_percent, 1 * 9) << "at most ten times as long, in 1 % of the time";
}

TEST(ExploreTest, ATrialIsARowOfItsOwnThatSaysSo) {
  SimulatedMachine machine;
  machine.Run({});
  const MachinePointer view = machine.View();
  const Tables without = TablesOf(*view, ExploredNodes(), 0);
  const Tables with = TablesOf(*view, ExploredNodes(), 0.5);
  for (size_t t = 0; t < with.size(); ++t) {
    const auto& rows = with[t].rows;
    EXPECT_EQ(rows.front().block_bytes, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) {
        EXPECT_GT(rows[i].block_bytes, rows[i - 1].block_bytes);
      }
      if (rows[i].trial.empty()) {
        EXPECT_EQ(rows[i].algorithm, RunAt(without, with[t].collective, rows[i].block_bytes));
        continue;
      }
      EXPECT_NE(rows[i].trial.find("instead of"), std::string::npos);
      EXPECT_NE(rows[i].algorithm, RunAt(without, with[t].collective, rows[i].block_bytes));
      const auto collective = domain::ParseCollective(with[t].collective);
      const auto* row = library::FindAlgorithm("openmpi-4.1", *collective, rows[i].algorithm);
      // The caller does not promise that reductions commute.
      EXPECT_TRUE(row == nullptr || row->safe_for_any_operation) << rows[i].algorithm;
      // Neighbouring sizes are unchanged.
      ASSERT_LT(i + 1, rows.size());
      EXPECT_EQ(rows[i + 1].block_bytes, 2 * rows[i].block_bytes);
    }
  }
}

TEST(ExploreTest, WhereSizesCannotBeToldApartATrialIsForAllOfThem) {
  SimulatedMachine machine;
  machine.Run({});
  const MachinePointer view = machine.View();
  auto tables = BuildDecisionTables(*view, ExploredNodes());
  ASSERT_TRUE(tables.ok());
  const auto as_one = [](domain::Collective) { return false; };
  EXPECT_TRUE(AddTrials(*view, ExploredNodes(), 0.5, as_one, absl::MakeSpan(*tables)).ok());
  int trials = 0;
  for (const library::DecisionTable& table : *tables) {
    if (TrialsOf({table}).empty()) continue;
    ++trials;
    EXPECT_EQ(table.rows.size(), 1U);
  }
  EXPECT_GT(trials, 0);
}

TEST(ExploreTest, WhatWasTimedThereIsNotTriedAgain) {
  SimulatedMachine machine;
  machine.Run({});
  const Tables first = TablesOf(*machine.View(), ExploredNodes(), 0.5);
  machine.Run(first);
  const Tables second = TablesOf(*machine.View(), ExploredNodes(), 0.5);
  for (const library::DecisionTable& table : first) {
    for (const library::DecisionRow& row : TrialsOf({table})) {
      for (const library::DecisionTable& other : second) {
        if (other.collective != table.collective) continue;
        for (const library::DecisionRow& again : TrialsOf({other})) {
          EXPECT_FALSE(again.block_bytes == row.block_bytes && again.algorithm == row.algorithm)
              << table.collective << " " << row.algorithm;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cox::advise
