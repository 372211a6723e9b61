#include "advise/measure/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "domain/cell_key.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"
#include "machines.h"
#include "strategy/benchmarked.h"

namespace cox::advise {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Ne;
using ::testing::Not;

constexpr const char* kLibrary = "somebodys-mpi-1.0";
const std::vector<std::string> kAlgorithms = {"default", "direct", "slow"};

// Every algorithm at sizes of `step` doublings from 4 B, on 8 nodes of 4 ranks.
std::vector<Measurement> Candidates(int step, const std::vector<std::string>& algorithms) {
  std::vector<Measurement> candidates;
  for (int64_t bytes = 4; bytes <= 1 << 22; bytes <<= step) {
    for (const std::string& algorithm : algorithms) {
      candidates.push_back({"alltoall", algorithm, 8, 4, 32, bytes});
    }
  }
  return candidates;
}

// As if the candidate had been measured: `direct` takes 20 us + 1 ns/B, the default twice and
// `slow` 100 times as long.
learn::Cell Timed(const Measurement& one) {
  learn::Cell cell =
      learn::MakeCell(one.collective, one.algorithm, one.nodes, one.ppn, one.block_bytes, 1);
  cell.library = kLibrary;
  const double factor = one.algorithm == "direct" ? 1 : one.algorithm == "default" ? 2 : 100;
  cell.mean_log_time = std::log(factor * (2e-5 + 1e-9 * static_cast<double>(one.block_bytes)));
  cell.weight = 5;
  return cell;
}

std::vector<Measurement> Named(const Suggestions& suggestions,
                               const std::vector<Measurement>& candidates) {
  std::vector<Measurement> named;
  for (const Suggestion& one : suggestions.best) named.push_back(candidates[one.index]);
  return named;
}

TEST(SuggestTest, ACallIsMeasuredAsAWholeAndCallsAreSpread) {
  const std::vector<Measurement> candidates = Candidates(2, kAlgorithms);
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith({}, {}), kLibrary, candidates, 9).value();
  ASSERT_EQ(suggestions.best.size(), 9U);
  std::set<size_t> indices;
  std::vector<int64_t> sizes;
  const std::vector<Measurement> named = Named(suggestions, candidates);
  for (size_t i = 0; i < named.size(); ++i) {
    indices.insert(suggestions.best[i].index);
    if (i % 3 == 0) sizes.push_back(named[i].block_bytes);
    EXPECT_EQ(named[i].block_bytes, sizes.back());
    EXPECT_GT(suggestions.best[i].gain, 0);
    EXPECT_GT(suggestions.best[i].cost_s, 0);
    EXPECT_EQ(suggestions.best[i].predicted_time_s, 0) << "nothing is known";
  }
  EXPECT_EQ(indices.size(), 9U) << "none twice";
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double ratio = static_cast<double>(sizes[i]) / static_cast<double>(sizes[j]);
      EXPECT_GE(std::abs(std::log2(ratio)), 4) << sizes[i] << " and " << sizes[j];
    }
  }
}

TEST(SuggestTest, NoMoreThanThereAre) {
  const std::vector<Measurement> candidates = Candidates(10, kAlgorithms);
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith({}, {}), kLibrary, candidates, 1000).value();
  EXPECT_EQ(suggestions.best.size(), candidates.size());
  EXPECT_THAT(SuggestMeasurements(*MachineWith({}, {}), kLibrary, {}, 5).value().best, IsEmpty());
}

TEST(SuggestTest, ABegunCallIsFinishedFirst) {
  std::vector<Measurement> candidates = Candidates(2, kAlgorithms);
  // The default was timed at the largest size, and is no candidate there any more.
  const std::vector<learn::Cell> cells = {Timed(candidates[candidates.size() - 3])};
  candidates.erase(candidates.end() - 3);
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, candidates, 2).value();
  EXPECT_THAT(Named(suggestions, candidates), Each(Field(&Measurement::block_bytes, 1 << 22)));
}

TEST(SuggestTest, WhatIsHopelessIsMeasuredLast) {
  const std::vector<Measurement> known = Candidates(4, kAlgorithms);
  std::vector<learn::Cell> cells;
  for (const Measurement& one : known) cells.push_back(Timed(one));
  // The sizes between.
  std::vector<Measurement> candidates;
  for (const Measurement& one : known) {
    candidates.push_back(one);
    candidates.back().block_bytes *= 4;
  }
  const size_t useful = candidates.size() / 3 * 2;
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, candidates, candidates.size()).value();
  const std::vector<Measurement> named = Named(suggestions, candidates);
  ASSERT_EQ(named.size(), candidates.size());
  for (size_t i = 0; i < useful; ++i) EXPECT_NE(named[i].algorithm, "slow") << i;
  for (size_t i = useful; i < named.size(); ++i) EXPECT_EQ(named[i].algorithm, "slow") << i;
  EXPECT_NEAR(suggestions.best[0].predicted_time_s, std::exp(Timed(named[0]).mean_log_time),
              0.5 * std::exp(Timed(named[0]).mean_log_time));
}

TEST(SuggestTest, WhatWasTimedIsNotSuggestedAgainBeforeTheOthers) {
  const std::vector<Measurement> candidates = Candidates(4, kAlgorithms);
  std::vector<learn::Cell> cells;
  for (size_t i = 0; i < 6; ++i) cells.push_back(Timed(candidates[i]));
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, candidates, 6).value();
  for (const Suggestion& one : suggestions.best) EXPECT_GE(one.index, 6U);
}

TEST(SuggestTest, KnowledgeReducesTheExpectedLoss) {
  const std::vector<Measurement> all = Candidates(2, kAlgorithms);
  std::vector<learn::Cell> cells;
  const double ignorant =
      SuggestMeasurements(*MachineWith({}, {}), kLibrary, all, 1).value().expected_loss;
  for (const Measurement& one : all) cells.push_back(Timed(one));
  const double informed =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, all, 1).value().expected_loss;
  EXPECT_GT(ignorant, 0.3);
  EXPECT_LT(informed, 0.05);
}

// After a measurement only those gains are computed anew that may be the largest.
TEST(SuggestTest, AHundredSuggestionsCostLessThanFortyTimesOne) {
  std::vector<Measurement> candidates;
  for (int64_t i = 0; i < 2000; ++i) {
    candidates.push_back({"alltoall", "direct", 8, 4, 32, 4 * (1 + i)});
  }
  const MachinePointer machine = MachineWith({}, {});
  const auto processor_s = [&](size_t count) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(SuggestMeasurements(*machine, kLibrary, candidates, count).value().best.size(),
              count);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double one_s = processor_s(1);
  EXPECT_LT(processor_s(100), 40 * one_s);
}

// Nobody timed the default. It is believed to take the geometric mean of the others: 10 times as
// long as `direct`, so that all calls waste 90 % of their time.
TEST(SuggestTest, SharesAreBelowTheWholeTime) {
  const std::vector<Measurement> all = Candidates(2, kAlgorithms);
  std::vector<learn::Cell> cells;
  for (const Measurement& one : all) {
    if (one.algorithm != "default") cells.push_back(Timed(one));
  }
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, all, all.size()).value();
  EXPECT_NEAR(suggestions.expected_loss, 0.9, 0.01);
  for (const Suggestion& one : suggestions.best) {
    EXPECT_LE(one.gain, suggestions.expected_loss) << one.index;
  }
}

TEST(SuggestTest, TheUsualMeasurementsRunAsThemselves) {
  const MachinePointer machine = MachineWith({});
  const std::vector<Measurement> usual = UsualMeasurements(*machine, "openmpi-4.1");
  ASSERT_THAT(usual, Not(IsEmpty()));
  EXPECT_LE(usual.size(), kMaxMeasurements);
  std::set<int64_t> nodes;
  std::set<std::tuple<std::string, std::string, int64_t, int64_t, int64_t>> different;
  for (const Measurement& one : usual) {
    nodes.insert(one.nodes);
    EXPECT_GE(one.ranks, 2);
    EXPECT_EQ(one.ranks, one.nodes * one.ppn);
    EXPECT_TRUE(
        different.emplace(one.collective, one.algorithm, one.nodes, one.ppn, one.block_bytes)
            .second);
    if (one.algorithm == "default") continue;
    const auto collective = domain::ParseCollective(one.collective);
    ASSERT_TRUE(collective.ok());
    const library::Algorithm* row =
        library::FindAlgorithm("openmpi-4.1", *collective, one.algorithm);
    ASSERT_NE(row, nullptr) << one.algorithm;
    EXPECT_TRUE(strategy::IsBenchmarked(*collective)) << one.collective;
    const strategy::Scenario scenario{.collective = *collective,
                                      .ranks = one.ranks,
                                      .ppn = one.ppn,
                                      .block_bytes = one.block_bytes};
    EXPECT_EQ(library::Effective(*row, scenario, library::kUsualCalls), row) << one.algorithm;
  }
  EXPECT_EQ(nodes, (std::set<int64_t>{1, 2, 3, 4, 6, 8, 12, 16}));
}

TEST(SuggestTest, LibcoxcollHasNoDefaultToMeasure) {
  learn::Cell observed = Timed({"alltoall", "direct", 8, 4, 32, 64});
  observed.library = std::string(library::kCoxcoll);
  const std::vector<Measurement> usual =
      UsualMeasurements(*MachineWith({observed}), library::kCoxcoll);
  ASSERT_THAT(usual, Not(IsEmpty()));
  EXPECT_THAT(usual, Each(Field(&Measurement::algorithm, Ne("default"))));
}

TEST(SuggestTest, WhatCoxBenchCannotTimeIsUsualWhereItWasObserved) {
  const std::vector<learn::Cell> cells = {Timed({"scan", "linear", 8, 4, 32, 64})};
  std::set<std::string> of_scan;
  for (const Measurement& one : UsualMeasurements(*MachineWith(cells), kLibrary)) {
    if (one.collective == "scan") of_scan.insert(one.algorithm);
  }
  EXPECT_EQ(of_scan, (std::set<std::string>{"default", "linear"}));
}

TEST(SuggestTest, OfALibraryWithoutATableWhatWasObserved) {
  const std::vector<learn::Cell> cells = {Timed({"alltoall", "direct", 8, 4, 32, 64})};
  const std::vector<Measurement> usual = UsualMeasurements(*MachineWith(cells), kLibrary);
  std::set<std::string> algorithms;
  for (const Measurement& one : usual) algorithms.insert(one.collective + "/" + one.algorithm);
  EXPECT_EQ(algorithms, (std::set<std::string>{"alltoall/default", "alltoall/direct"}));
  EXPECT_THAT(UsualMeasurements(*MachineWith({}), kLibrary), IsEmpty());
}

// The same call as a job times it: all algorithms take three times as long.
learn::Cell TimedByJobs(const Measurement& one) {
  learn::Cell cell = Timed(one);
  cell.kind = domain::CellKind::kJob;
  cell.mean_log_time += std::log(3);
  return cell;
}

// The algorithms that are suggested first, all for this size.
std::multiset<std::string> FirstAt(int64_t bytes, size_t count,
                                   const std::vector<learn::Cell>& cells) {
  const std::vector<Measurement> candidates = Candidates(4, kAlgorithms);
  const Suggestions suggestions =
      SuggestMeasurements(*MachineWith(cells, {}), kLibrary, candidates, count).value();
  std::multiset<std::string> algorithms;
  for (const Measurement& one : Named(suggestions, candidates)) {
    if (one.block_bytes == bytes) algorithms.insert(one.algorithm);
  }
  return algorithms;
}

// Without a benchmark of the default no gain of what a benchmark times can be shown.
TEST(SuggestTest, ADefaultThatOnlyJobsTimedIsMeasured) {
  const std::vector<Measurement> all = Candidates(4, kAlgorithms);
  const int64_t bytes = all[3].block_bytes;
  // A benchmark timed all others.
  EXPECT_EQ(FirstAt(bytes, 1, {TimedByJobs(all[3]), Timed(all[4]), Timed(all[5])}),
            (std::multiset<std::string>{"default"}));
  // A benchmark will time one of the others.
  EXPECT_EQ(FirstAt(bytes, 2, {TimedByJobs(all[3]), TimedByJobs(all[4])}),
            (std::multiset<std::string>{"default", "slow"}));
}

TEST(SuggestTest, WhatJobsTimedAsAWholeIsFinished) {
  const std::vector<Measurement> all = Candidates(4, kAlgorithms);
  EXPECT_THAT(FirstAt(all[3].block_bytes, 6,
                      {TimedByJobs(all[3]), TimedByJobs(all[4]), TimedByJobs(all[5])}),
              IsEmpty());
}

// A benchmark and jobs timed the default at another size: times of jobs can be converted.
TEST(SuggestTest, AJobsTimeOfADefaultThatABenchmarkTimedElsewhereCounts) {
  const std::vector<Measurement> all = Candidates(4, kAlgorithms);
  const std::vector<learn::Cell> cells = {Timed(all[0]), TimedByJobs(all[0]), Timed(all[1]),
                                          Timed(all[2]), TimedByJobs(all[3]), Timed(all[4]),
                                          Timed(all[5])};
  EXPECT_THAT(FirstAt(all[3].block_bytes, 6, cells), IsEmpty());
}

}  // namespace
}  // namespace cox::advise
