#include "learn/correct/kind_offset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "domain/cell_key.h"
#include "domain/shape.h"
#include "learn/correct/corrections.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

Cell TimedKind(const char* algorithm, domain::CellKind kind, int64_t bytes, double time_s) {
  Cell cell = MakeCell("alltoall", algorithm, 8, 4, bytes, time_s);
  cell.library = "somebodys-mpi-1.0";
  cell.kind = kind;
  return cell;
}

double OffsetOfJobs(const std::vector<Cell>& cells) {
  const domain::Shape shape;
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_EQ(offsets.For(TimedKind("any", domain::CellKind::kBenchmark, 1, 1)), 0);
  return offsets.For(TimedKind("any", domain::CellKind::kJob, 1, 1));
}

TEST(KindOffsetTest, IsTheMedianRatioOfWhatWasTimedInBothWays) {
  std::vector<Cell> cells;
  for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = 1e-6 * static_cast<double>(bytes);
    cells.push_back(TimedKind("ring", domain::CellKind::kBenchmark, bytes, time_s));
    // One wild cell moves nothing.
    cells.push_back(
        TimedKind("ring", domain::CellKind::kJob, bytes, (bytes == 64 ? 1e6 : 1.5) * time_s));
  }
  EXPECT_NEAR(OffsetOfJobs(cells), -std::log(1.5), 0.05);
}

TEST(KindOffsetTest, SaysHowLittleJobsFollowOneFactor) {
  const domain::Shape shape;
  const auto variance_of = [&shape](double spread) {
    std::vector<Cell> cells;
    for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
      const double time_s = 1e-6 * static_cast<double>(bytes);
      // Evenly from -spread to spread.
      const double step =
          static_cast<double>(std::lround(std::log2(static_cast<double>(bytes))) % 5) / 2 - 1;
      cells.push_back(TimedKind("ring", domain::CellKind::kBenchmark, bytes, time_s));
      cells.push_back(TimedKind("ring", domain::CellKind::kJob, bytes,
                                time_s * std::exp(step * spread) * (bytes == 64 ? 1e6 : 1)));
    }
    const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
    EXPECT_EQ(offsets.VarianceOf(TimedKind("any", domain::CellKind::kBenchmark, 1, 1)), 0);
    return offsets.VarianceOf(TimedKind("any", domain::CellKind::kJob, 1, 1));
  };
  // One algorithm with a constant factor does not show that others have it.
  const double between = variance_of(0);
  EXPECT_GT(between, 0.1 * 0.1);
  EXPECT_LT(between, 0.3 * 0.3);
  EXPECT_GT(variance_of(0.3) - between, 0.15 * 0.15);
  // One wild cell adds nothing.
  EXPECT_LT(variance_of(0.3) - between, 0.3 * 0.3);
  EXPECT_EQ(KindOffsets().VarianceOf(TimedKind("any", domain::CellKind::kJob, 1, 1)), 0);
}

TEST(KindOffsetTest, ManyAlgorithmsThatKeepToOneFactorShowIt) {
  const domain::Shape shape;
  std::vector<Cell> cells;
  for (const char* algorithm : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    cells.push_back(TimedKind(algorithm, domain::CellKind::kBenchmark, 64, 1e-5));
    cells.push_back(TimedKind(algorithm, domain::CellKind::kJob, 64, 2e-5));
  }
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_LT(offsets.VarianceOf(TimedKind("any", domain::CellKind::kJob, 1, 1)), 0.1 * 0.1);
}

// Two algorithms whose ratios lie `between` apart, and each one's by `within` from size to size.
struct Variances {
  double all;
  double common;
};
Variances VariancesOf(double between, double within) {
  const domain::Shape shape;
  std::vector<Cell> cells;
  for (const auto& [algorithm, sign] : {std::pair("ring", 1), std::pair("tree", -1)}) {
    for (int i = 0; i < 8; ++i) {
      const int64_t bytes = int64_t{64} << i;
      const double log_ratio = sign * between / 2 + (i % 2 == 0 ? within : -within);
      cells.push_back(TimedKind(algorithm, domain::CellKind::kBenchmark, bytes, 1e-5));
      cells.push_back(
          TimedKind(algorithm, domain::CellKind::kJob, bytes, 1e-5 * std::exp(log_ratio)));
    }
  }
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_EQ(offsets.CommonVarianceOf(TimedKind("any", domain::CellKind::kBenchmark, 1, 1)), 0);
  const Cell job = TimedKind("any", domain::CellKind::kJob, 1, 1);
  return {offsets.VarianceOf(job), offsets.CommonVarianceOf(job)};
}

TEST(KindOffsetTest, OnlyWhatTellsAlgorithmsApartIsCommonToAnAlgorithmsCells) {
  const Variances alike = VariancesOf(0, 0);
  EXPECT_GT(alike.common, 0);
  EXPECT_NEAR(alike.common, alike.all, 1e-12);
  const Variances scattered = VariancesOf(0, 0.3);
  EXPECT_GT(scattered.all, scattered.common + 0.3 * 0.3);
  EXPECT_GT(VariancesOf(1, 0).common, alike.common + 0.3 * 0.3);
  EXPECT_EQ(KindOffsets().CommonVarianceOf(TimedKind("any", domain::CellKind::kJob, 1, 1)), 0);
}

// "ring" and "tree" were timed in both ways and differ in how jobs see them, "chain" by jobs only,
// at `places` calls.
std::vector<Cell> WithChainInJobs(int places) {
  std::vector<Cell> cells;
  const auto time_s = [](int64_t bytes) { return 1e-5 + 1e-9 * static_cast<double>(bytes); };
  for (const auto& [algorithm, seen] : {std::pair("ring", 0.8), std::pair("tree", 1.25)}) {
    for (int64_t bytes = 256; bytes <= 1 << 20; bytes *= 4) {
      cells.push_back(TimedKind(algorithm, domain::CellKind::kBenchmark, bytes, time_s(bytes)));
      cells.push_back(TimedKind(algorithm, domain::CellKind::kJob, bytes, seen * time_s(bytes)));
    }
  }
  for (int i = 0; i < places; ++i) {
    const auto bytes = static_cast<int64_t>(std::lround(256 * std::exp2(12.0 * i / places)));
    cells.push_back(TimedKind("chain", domain::CellKind::kJob, bytes, 0.9 * time_s(bytes)));
    cells.back().weight = 50;
  }
  return cells;
}

Estimate EstimateOf(const Corrections& corrections, const char* algorithm, double bytes) {
  return UnstructuredAt(corrections, "somebodys-mpi-1.0", "alltoall", algorithm, {8, 4, 32, bytes});
}

class JobsAlone : public testing::TestWithParam<int> {};

TEST_P(JobsAlone, AnAlgorithmIsNeverSurerThanWhatItsPlacesShare) {
  const std::vector<Cell> cells = WithChainInJobs(GetParam());
  const domain::Shape shape;
  const double common =
      KindOffsets::Build(PrepareCells(cells, shape)).CommonVarianceOf(cells.back());
  ASSERT_GT(common, 0.1 * 0.1);
  const auto corrections = BuildCorrections({}, cells);
  for (const double bytes : {256.0, 20000.0, 1048576.0}) {
    const Estimate chain = EstimateOf(*corrections, "chain", bytes);
    EXPECT_GT(chain.sigma * chain.sigma, common) << bytes;
    EXPECT_GT(chain.own_sigma * chain.own_sigma, common) << bytes;
  }
}

// So many that places are merged.
INSTANTIATE_TEST_SUITE_P(Places, JobsAlone, testing::Values(6, 60, 160, 2000));

TEST(KindOffsetTest, WhatABenchmarkTimedIsAsSureAsBefore) {
  const std::vector<Cell> cells = WithChainInJobs(160);
  const domain::Shape shape;
  const double common =
      KindOffsets::Build(PrepareCells(cells, shape)).CommonVarianceOf(cells.back());
  std::vector<Cell> by_benchmarks;
  for (const Cell& cell : cells) {
    if (cell.kind == domain::CellKind::kBenchmark) by_benchmarks.push_back(cell);
  }
  const auto corrections = BuildCorrections({}, cells);
  const auto without_jobs = BuildCorrections({}, by_benchmarks);
  for (const double bytes : {256.0, 20000.0, 1048576.0}) {
    const double sigma = EstimateOf(*corrections, "ring", bytes).sigma;
    EXPECT_LT(sigma * sigma, common) << bytes;
    // Jobs may tell more about what the algorithms have in common.
    const Estimate without = EstimateOf(*without_jobs, "ring", bytes);
    EXPECT_LT(sigma, without.sigma + 0.02) << bytes;
    EXPECT_NEAR(EstimateOf(*corrections, "ring", bytes).own_sigma, without.own_sigma, 0.02)
        << bytes;
  }
}

// How many sizes each algorithm was timed at in both ways.
struct Shared {
  int chain;
  int tree;
};

class BenchmarkAndJobs : public testing::TestWithParam<Shared> {};

TEST_P(BenchmarkAndJobs, WhereBothAreTimedTheBenchmarkSaysWhichIsFaster) {
  // By what a rank of a job sees, the chain is the faster one; until its last rank has all, it
  // takes half as long again. Jobs have timed both a thousand times as often.
  constexpr int kSizes = 8;
  std::vector<Cell> cells;
  for (int i = 0; i < kSizes; ++i) {
    const int64_t bytes = int64_t{256} << (2 * i);
    const double time_s = 1e-5 + 1e-9 * static_cast<double>(bytes);
    for (const auto& [algorithm, whole, seen, shared] :
         {std::tuple("chain", 1.5, 0.7, GetParam().chain),
          std::tuple("tree", 1.0, 0.9, GetParam().tree)}) {
      cells.push_back(TimedKind(algorithm, domain::CellKind::kBenchmark, bytes, whole * time_s));
      if (i >= shared) continue;
      cells.push_back(TimedKind(algorithm, domain::CellKind::kJob, bytes, seen * time_s));
      cells.back().weight = 1000;
    }
  }
  const auto corrections = BuildCorrections({}, cells);
  const auto estimate = [&corrections](const char* algorithm, double bytes) {
    return EstimateOf(*corrections, algorithm, bytes);
  };
  for (const double bytes : {256.0, 16384.0, 1048576.0}) {
    const double ratio =
        std::exp(estimate("chain", bytes).log_time - estimate("tree", bytes).log_time);
    EXPECT_NEAR(ratio, 1.5, 0.1) << bytes;
  }
}

// Equally often, one of them more often, and a single call.
INSTANTIATE_TEST_SUITE_P(Shared, BenchmarkAndJobs,
                         testing::Values(Shared{7, 7}, Shared{8, 6}, Shared{6, 8}, Shared{1, 0},
                                         Shared{0, 1}, Shared{8, 1}));

// As many sizes; jobs take half as long again, and have elements of this size.
std::vector<Cell> InBothWays(int sizes, int64_t job_type_bytes) {
  std::vector<Cell> cells;
  for (int i = 0; i < sizes; ++i) {
    const int64_t bytes = int64_t{8} << i;
    const double time_s = 1e-6 * static_cast<double>(bytes);
    cells.push_back(TimedKind("ring", domain::CellKind::kBenchmark, bytes, time_s));
    cells.push_back(TimedKind("ring", domain::CellKind::kJob, bytes, 1.5 * time_s));
    cells.back().type_bytes = job_type_bytes;
  }
  return cells;
}

TEST(KindOffsetTest, ElementsOfAnotherTypeMakeNoOtherCall) {
  EXPECT_NEAR(OffsetOfJobs(InBothWays(16, 8)), -std::log(1.5), 0.06);
  EXPECT_EQ(OffsetOfJobs(InBothWays(16, 8)), OffsetOfJobs(InBothWays(16, 4)));
}

TEST(KindOffsetTest, TellsWhatACallTakesInJobs) {
  const auto in_jobs = [](int sizes) {
    const auto corrections = BuildCorrections({}, InBothWays(sizes, 8));
    EXPECT_EQ(corrections->InJobs("somebodys-mpi-1.0", "bcast"), nullptr);
    const JobFactor* factor = corrections->InJobs("somebodys-mpi-1.0", "alltoall");
    EXPECT_NE(factor, nullptr);
    return factor == nullptr ? JobFactor() : *factor;
  };
  const JobFactor surely = in_jobs(16);
  EXPECT_NEAR(surely.log_factor, std::log(1.5), 0.06);
  EXPECT_GT(surely.variance, 0);
  // A single call is not trusted: the factor that it shows lies within the uncertainty.
  const JobFactor doubtful = in_jobs(1);
  EXPECT_GT(doubtful.log_factor, 0);
  EXPECT_LT(doubtful.log_factor, std::log(1.5) / 2);
  EXPECT_GT(doubtful.variance, surely.variance);
  EXPECT_GT(doubtful.log_factor + 1.645 * std::sqrt(doubtful.variance), std::log(1.5));
  EXPECT_EQ(BuildCorrections({}, {})->InJobs("somebodys-mpi-1.0", "alltoall"), nullptr);
}

// Asked for "neighbor", Open MPI runs the ring where the number of ranks is odd.
TEST(KindOffsetTest, ComparesTheCodeThatRan) {
  const auto timed = [](domain::CellKind kind, int64_t bytes, double time_s) {
    Cell cell = MakeCell("allgather", kind == domain::CellKind::kJob ? "ring" : "neighbor", 5, 1,
                         bytes, time_s);
    cell.kind = kind;
    return cell;
  };
  std::vector<Cell> cells;
  for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = 1e-6 * static_cast<double>(bytes);
    cells.push_back(timed(domain::CellKind::kBenchmark, bytes, time_s));
    cells.push_back(timed(domain::CellKind::kJob, bytes, 1.5 * time_s));
  }
  const domain::Shape shape;
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_NEAR(offsets.For(cells.back()), -std::log(1.5), 0.05);
}

TEST(KindOffsetTest, WithoutAPlaceTimedInBothWaysThereIsNone) {
  EXPECT_EQ(OffsetOfJobs({TimedKind("ring", domain::CellKind::kBenchmark, 8, 1e-6),
                          TimedKind("ring", domain::CellKind::kJob, 16, 9e-6),
                          TimedKind("bruck", domain::CellKind::kJob, 8, 9e-6)}),
            0);
}

TEST(KindOffsetTest, AnAlgorithmIsNotSlowForHavingBeenTimedInJobs) {
  // The default was timed in jobs, which take half as long again, an alternative that is 10 %
  // slower in the benchmark only.
  std::vector<Cell> cells;
  for (int64_t bytes = 16; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = 1e-5 + 1e-9 * static_cast<double>(bytes);
    cells.push_back(TimedKind("default", domain::CellKind::kBenchmark, bytes, time_s));
    cells.push_back(TimedKind("default", domain::CellKind::kJob, bytes, 1.5 * time_s));
    cells.push_back(TimedKind("default", domain::CellKind::kJob, bytes + 8, 1.5 * time_s));
    cells.push_back(TimedKind("ring", domain::CellKind::kBenchmark, bytes, 1.1 * time_s));
  }
  const auto corrections = BuildCorrections({}, cells);
  const double bytes = 4104;
  const Estimate ring = EstimateOf(*corrections, "ring", bytes);
  const Estimate the_default = EstimateOf(*corrections, "default", bytes);
  EXPECT_NEAR(std::exp(ring.log_time - the_default.log_time), 1.1, 0.06);
}

}  // namespace
}  // namespace cox::learn
