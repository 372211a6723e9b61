#include "learn/correct/missed_gains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "domain/cell_key.h"
#include "domain/shape.h"
#include "learn/drift.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

constexpr char kTimedLibrary[] = "somebodys-mpi-1.0";

// `faster`: how many times as fast as the default.
struct TimedCall {
  const char* algorithm;
  domain::CellKind kind;
  double faster;
  int64_t bytes = 4096;
  double weight = 20;
};

Cell CellOf(const char* algorithm, const TimedCall& timed, double time_s) {
  Cell cell = MakeCell("bcast", algorithm, 4, 2, timed.bytes, time_s);
  cell.library = kTimedLibrary;
  cell.kind = timed.kind;
  cell.weight = timed.weight;
  // An application sends other elements than the benchmark.
  cell.type_bytes = timed.kind == domain::CellKind::kJob ? 8 : 1;
  return cell;
}

// With a timing of the default beside each.
std::map<std::pair<absl::string_view, absl::string_view>, MissedGains> Find(
    const std::vector<TimedCall>& timings, std::vector<Cell>* cells) {
  for (const TimedCall& timed : timings) {
    const double default_s = timed.kind == domain::CellKind::kJob ? 3e-4 : 1e-4;
    cells->push_back(CellOf("default", timed, default_s));
    cells->push_back(CellOf(timed.algorithm, timed, default_s / timed.faster));
  }
  static const domain::Shape shape;
  return FindMissedGains(PrepareCells(*cells, shape));
}

Shortfall ShortfallOf(
    const std::map<std::pair<absl::string_view, absl::string_view>, MissedGains>& missed,
    const char* algorithm, int64_t bytes = 4096) {
  const auto found = missed.find({kTimedLibrary, "bcast"});
  if (found == missed.end()) return {};
  const Point point{4, 2, 8, static_cast<double>(bytes)};
  return found->second.At(CoordinatesOf(point), algorithm);
}

Shortfall ShortfallOf(const std::vector<TimedCall>& timings, const char* algorithm,
                      int64_t bytes = 4096) {
  std::vector<Cell> cells;
  return ShortfallOf(Find(timings, &cells), algorithm, bytes);
}

// The same after a drift by this factor since which jobs have timed `again` only.
Shortfall ShortfallAfterADrift(const std::vector<TimedCall>& timings, double factor,
                               const std::vector<absl::string_view>& again, const char* algorithm) {
  std::vector<Cell> cells;
  Find(timings, &cells);
  for (Cell& cell : cells) {
    cell.variance_log_time = 0.01;
    const bool is_new = cell.kind == domain::CellKind::kJob &&
                        std::find(again.begin(), again.end(), cell.algorithm) != again.end();
    if (is_new) {
      cell.mean_log_time += std::log(factor);
    } else {
      cell = AgedBy(std::log(factor), cell);
    }
  }
  static const domain::Shape shape;
  return ShortfallOf(FindMissedGains(PrepareCells(cells, shape)), algorithm);
}

constexpr auto kBenchmark = domain::CellKind::kBenchmark;
constexpr auto kJob = domain::CellKind::kJob;

TEST(MissedGainsTest, WhatJobsDidNotFindOfOnePromiseIsMissingOfOthers) {
  const double promised = std::log(1.6);
  const Shortfall tree =
      ShortfallOf({{"binomial", kBenchmark, 1.6}, {"binomial", kJob, 1}}, "tree");
  EXPECT_GT(tree.log_gain, 0.6 * promised);
  EXPECT_LE(tree.log_gain, promised);
  EXPECT_GT(tree.variance, 0.1 * 0.1);
  // A second disproved promise makes it surer.
  const Shortfall surer = ShortfallOf({{"binomial", kBenchmark, 1.6},
                                       {"binomial", kJob, 1},
                                       {"chain", kBenchmark, 1.6},
                                       {"chain", kJob, 1}},
                                      "tree");
  EXPECT_GT(surer.log_gain, tree.log_gain);
  EXPECT_LT(surer.variance, tree.variance);
}

TEST(MissedGainsTest, KeptPromisesLeaveOthersAsTheyAre) {
  for (const double found : {1.6, 1.5, 2.5}) {
    const Shortfall tree =
        ShortfallOf({{"binomial", kBenchmark, 1.6}, {"binomial", kJob, found}}, "tree");
    EXPECT_LT(tree.log_gain, 0.02) << found;
    EXPECT_LT(tree.variance, 0.05 * 0.05) << found;
  }
}

TEST(MissedGainsTest, ReachesTheNeighbouringSizes) {
  const std::vector<TimedCall> timings = {{"binomial", kBenchmark, 1.6}, {"binomial", kJob, 1}};
  const double here = ShortfallOf(timings, "tree").log_gain;
  const double near = ShortfallOf(timings, "tree", 8192).log_gain;
  const double far = ShortfallOf(timings, "tree", 1 << 22).log_gain;
  EXPECT_GT(near, 0.4 * here);
  EXPECT_LT(far, 0.05 * here);
  // The benchmark's size need not be the job's.
  EXPECT_GT(ShortfallOf({{"binomial", kBenchmark, 1.6, 4096}, {"binomial", kJob, 1, 5000}}, "tree")
                .log_gain,
            0.8 * here);
  EXPECT_EQ(ShortfallOf({{"binomial", kBenchmark, 1.6, 4096}, {"binomial", kJob, 1, 16384}}, "tree")
                .log_gain,
            0);
}

TEST(MissedGainsTest, AnAlgorithmsOwnTimesInJobsTellMoreThanOthers) {
  const std::vector<TimedCall> timings = {{"binomial", kBenchmark, 1.6},
                                          {"binomial", kJob, 1},
                                          {"pipeline", kBenchmark, 1.6},
                                          {"pipeline", kJob, 1.6}};
  EXPECT_LT(ShortfallOf(timings, "pipeline").log_gain, 0.02);
  EXPECT_GT(ShortfallOf(timings, "binomial").log_gain, 0.2);
}

// A drift moves both times of a ratio alike. What jobs showed is as true as what benchmarks
// promise.
TEST(MissedGainsTest, ADriftTakesNothingFromWhatJobsShowed) {
  const std::vector<TimedCall> timings = {{"binomial", kBenchmark, 1.6},
                                          {"binomial", kJob, 0.5},
                                          {"chain", kBenchmark, 1.6},
                                          {"chain", kJob, 1}};
  for (const char* const algorithm : {"binomial", "chain", "tree"}) {
    const Shortfall before =
        ShortfallAfterADrift(timings, 1, {"default", "binomial", "chain"}, algorithm);
    ASSERT_GT(before.log_gain, 0.2) << algorithm;
    const Shortfall after = ShortfallAfterADrift(timings, 1.3, {}, algorithm);
    EXPECT_NEAR(after.log_gain, before.log_gain, 1e-9) << algorithm;
    EXPECT_NEAR(after.variance, before.variance, 1e-9) << algorithm;
  }
  // Of a kept promise, too.
  EXPECT_LT(ShortfallAfterADrift({{"binomial", kBenchmark, 1.6}, {"binomial", kJob, 1.6}}, 1.3, {},
                                 "tree")
                .log_gain,
            0.02);
}

// The jobs' times of the two are from both sides of the drift, so they tell less.
TEST(MissedGainsTest, TimesFromBothSidesOfADriftTellLess) {
  const std::vector<TimedCall> slower = {{"binomial", kBenchmark, 1.6}, {"binomial", kJob, 0.5}};
  const Shortfall sure = ShortfallAfterADrift(slower, 1.3, {}, "binomial");
  for (const char* const again : {"default", "binomial"}) {
    const Shortfall unsure = ShortfallAfterADrift(slower, 1.3, {again}, "binomial");
    EXPECT_GT(unsure.log_gain, 0.3) << again;
    EXPECT_LT(unsure.log_gain, sure.log_gain) << again;
    EXPECT_GT(unsure.variance, sure.variance) << again;
  }
  // What is sure of another algorithm tells more than what is unsure of its own.
  const std::vector<TimedCall> others = {{"binomial", kBenchmark, 1.6},
                                         {"binomial", kJob, 1},
                                         {"chain", kBenchmark, 1.6},
                                         {"chain", kJob, 1}};
  EXPECT_GT(ShortfallAfterADrift(others, 1.3, {"default", "binomial"}, "chain").log_gain, 0.3);
}

// Timings from after the drift count as soon as there are enough of both.
TEST(MissedGainsTest, NewTimesReplaceThoseFromBeforeADrift) {
  const auto find = [](double new_timings) {
    std::vector<Cell> cells;
    Find({{"binomial", kBenchmark, 1.6}, {"binomial", kJob, 1}}, &cells);
    for (Cell& cell : cells) cell = AgedBy(std::log(1.3), cell);
    std::vector<Cell> now;
    Find({{"binomial", kJob, 1.6, 4096, new_timings}}, &now);
    cells.insert(cells.end(), now.begin(), now.end());
    static const domain::Shape shape;
    return ShortfallOf(FindMissedGains(PrepareCells(cells, shape)), "tree").log_gain;
  };
  EXPECT_GT(find(2), 0.2);
  EXPECT_LT(find(3), 0.02);
}

TEST(MissedGainsTest, NoPromiseNothingMissed) {
  // Slower in the benchmark, too few timings, no timing by a benchmark.
  EXPECT_EQ(ShortfallOf({{"linear", kBenchmark, 0.5}, {"linear", kJob, 0.2}}, "tree").log_gain, 0);
  EXPECT_EQ(ShortfallOf({{"linear", kBenchmark, 2}, {"linear", kJob, 1, 4096, 2}}, "tree").log_gain,
            0);
  EXPECT_EQ(ShortfallOf({{"linear", kJob, 1}}, "tree").log_gain, 0);
  EXPECT_EQ(ShortfallOf({{"linear", kBenchmark, 2}}, "tree").log_gain, 0);
}

}  // namespace
}  // namespace cox::learn
