#include "learn/kind_offset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "learn/correction.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

Cell Timed(const char* algorithm, CellKind kind, int64_t bytes, double time_s) {
  Cell cell = MakeCell("alltoall", algorithm, 8, 4, bytes, time_s);
  cell.library = "somebodys-mpi-1.0";
  cell.kind = kind;
  return cell;
}

double OffsetOfJobs(const std::vector<Cell>& cells) {
  const model::Shape shape;
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_EQ(offsets.For(Timed("any", CellKind::kBenchmark, 1, 1)), 0);
  return offsets.For(Timed("any", CellKind::kJob, 1, 1));
}

TEST(KindOffsetTest, IsTheMedianRatioOfWhatWasTimedInBothWays) {
  std::vector<Cell> cells;
  for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = 1e-6 * static_cast<double>(bytes);
    cells.push_back(Timed("ring", CellKind::kBenchmark, bytes, time_s));
    // One wild cell moves nothing.
    cells.push_back(Timed("ring", CellKind::kJob, bytes, (bytes == 64 ? 1e6 : 1.5) * time_s));
  }
  EXPECT_NEAR(OffsetOfJobs(cells), -std::log(1.5), 0.05);
}

TEST(KindOffsetTest, SaysHowLittleJobsFollowOneFactor) {
  const model::Shape shape;
  const auto variance_of = [&shape](double spread) {
    std::vector<Cell> cells;
    for (int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
      const double time_s = 1e-6 * static_cast<double>(bytes);
      // Evenly from -spread to spread.
      const double step =
          static_cast<double>(std::lround(std::log2(static_cast<double>(bytes))) % 5) / 2 - 1;
      cells.push_back(Timed("ring", CellKind::kBenchmark, bytes, time_s));
      cells.push_back(Timed("ring", CellKind::kJob, bytes,
                            time_s * std::exp(step * spread) * (bytes == 64 ? 1e6 : 1)));
    }
    const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
    EXPECT_EQ(offsets.VarianceOf(Timed("any", CellKind::kBenchmark, 1, 1)), 0);
    return offsets.VarianceOf(Timed("any", CellKind::kJob, 1, 1));
  };
  // One algorithm that keeps to a factor does not show that others keep to it.
  const double between = variance_of(0);
  EXPECT_GT(between, 0.1 * 0.1);
  EXPECT_LT(between, 0.3 * 0.3);
  EXPECT_GT(variance_of(0.3) - between, 0.15 * 0.15);
  // One wild cell adds nothing.
  EXPECT_LT(variance_of(0.3) - between, 0.3 * 0.3);
  EXPECT_EQ(KindOffsets().VarianceOf(Timed("any", CellKind::kJob, 1, 1)), 0);
}

TEST(KindOffsetTest, ManyAlgorithmsThatKeepToOneFactorShowIt) {
  const model::Shape shape;
  std::vector<Cell> cells;
  for (const char* algorithm : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    cells.push_back(Timed(algorithm, CellKind::kBenchmark, 64, 1e-5));
    cells.push_back(Timed(algorithm, CellKind::kJob, 64, 2e-5));
  }
  const KindOffsets offsets = KindOffsets::Build(PrepareCells(cells, shape));
  EXPECT_LT(offsets.VarianceOf(Timed("any", CellKind::kJob, 1, 1)), 0.1 * 0.1);
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
      cells.push_back(Timed(algorithm, CellKind::kBenchmark, bytes, whole * time_s));
      if (i >= shared) continue;
      cells.push_back(Timed(algorithm, CellKind::kJob, bytes, seen * time_s));
      cells.back().weight = 1000;
    }
  }
  const auto corrections = BuildCorrections({}, cells);
  const auto estimate = [&corrections](const char* algorithm, double bytes) {
    return corrections->Find("somebodys-mpi-1.0", "alltoall", algorithm)
        ->Predict(0, 8, 4, 32, bytes);
  };
  for (const double bytes : {256.0, 16384.0, 1048576.0}) {
    const double ratio =
        std::exp(estimate("chain", bytes).log_time - estimate("tree", bytes).log_time);
    EXPECT_NEAR(ratio, 1.5, 0.1) << bytes;
  }
}

// As often, one of them oftener, and a single call.
INSTANTIATE_TEST_SUITE_P(Shared, BenchmarkAndJobs,
                         testing::Values(Shared{7, 7}, Shared{8, 6}, Shared{6, 8}, Shared{1, 0},
                                         Shared{0, 1}, Shared{8, 1}));

TEST(KindOffsetTest, WithoutAPlaceTimedInBothWaysThereIsNone) {
  EXPECT_EQ(OffsetOfJobs({Timed("ring", CellKind::kBenchmark, 8, 1e-6),
                          Timed("ring", CellKind::kJob, 16, 9e-6),
                          Timed("bruck", CellKind::kJob, 8, 9e-6)}),
            0);
}

TEST(KindOffsetTest, AnAlgorithmIsNotSlowForHavingBeenTimedInJobs) {
  // The default was timed in jobs, which take half as long again, an alternative that is 10 %
  // slower in the benchmark only.
  std::vector<Cell> cells;
  for (int64_t bytes = 16; bytes <= 1 << 20; bytes *= 2) {
    const double time_s = 1e-5 + 1e-9 * static_cast<double>(bytes);
    cells.push_back(Timed("default", CellKind::kBenchmark, bytes, time_s));
    cells.push_back(Timed("default", CellKind::kJob, bytes, 1.5 * time_s));
    cells.push_back(Timed("default", CellKind::kJob, bytes + 8, 1.5 * time_s));
    cells.push_back(Timed("ring", CellKind::kBenchmark, bytes, 1.1 * time_s));
  }
  const auto corrections = BuildCorrections({}, cells);
  const double bytes = 4104;
  const Estimate ring =
      corrections->Find("somebodys-mpi-1.0", "alltoall", "ring")->Predict(0, 8, 4, 32, bytes);
  const Estimate usual = corrections->Find("somebodys-mpi-1.0", "alltoall", "default")
                             ->Predict(std::exp(ring.log_time), 8, 4, 32, bytes);
  EXPECT_NEAR(std::exp(ring.log_time - usual.log_time), 1.1, 0.06);
}

}  // namespace
}  // namespace cox::learn
