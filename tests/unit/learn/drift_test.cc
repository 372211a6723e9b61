#include "domain/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "domain/cell_key.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/drift.h"
#include "learn/drift_reference.h"

namespace cox::learn {
namespace {

// Jobs that run one after the other on a made-up machine, each calling the same collectives over
// and over. What happens to the machine is up to the test.
class Series {
 public:
  explicit Series(unsigned seed, double spread = 0.05) : engine_(seed), noise_(0, spread) {
    for (const char* const collective : {"allreduce", "bcast", "alltoall"}) {
      for (const char* const algorithm : {"first", "second"}) {
        for (const int64_t bytes : {64, 1024, 8192, 65'536, 524'288}) {
          Cell cell;
          cell.library = "openmpi-4.1";
          cell.collective = collective;
          cell.algorithm = algorithm;
          cell.nodes = 4;
          cell.ppn = 2;
          cell.ranks = 8;
          cell.block_bytes = bytes;
          cell.kind = domain::CellKind::kJob;
          cells_.push_back(cell);
        }
      }
    }
  }

  // `count` observations of one job (0: of jobs of 300 observations each), each `slower` times
  // slower than it would be on the machine as it is now. Returns the first drift.
  std::optional<domain::Drift> Run(int count, const std::string& job = "", double slower = 1) {
    for (int i = 0; i < count; ++i) {
      const std::string name = job.empty() ? "job-" + std::to_string(id_ / 300) : job;
      if (std::optional<domain::Drift> drift = Step(name, slower)) return drift;
    }
    return std::nullopt;
  }
  std::optional<domain::Drift> Step(const std::string& job, double slower) {
    const Cell& cell = cells_[engine_() % cells_.size()];
    const double ideal =
        latency_s * cell.ranks + static_cast<double>(cell.block_bytes) * seconds_per_byte;
    ++id_;
    return detector_.Observe(id_, cell, std::log(ideal * slower) + noise_(engine_), job);
  }
  // `jobs` jobs of `count` observations each, which are slower and faster than each other by
  // `apart`, the standard deviation of ln(time). Returns the number of drifts.
  int RunApart(int jobs, int count, double apart) {
    int drifts = 0;
    for (int job = 0; job < jobs; ++job) {
      const double slower = std::exp(apart * std::normal_distribution<double>()(engine_));
      const std::string name = "apart-" + std::to_string(++apart_jobs_);
      for (int i = 0; i < count; ++i) drifts += Step(name, slower) ? 1 : 0;
    }
    return drifts;
  }
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  void KeepCells(size_t first, size_t count) {
    cells_ = {cells_.begin() + static_cast<std::ptrdiff_t>(first),
              cells_.begin() + static_cast<std::ptrdiff_t>(first + count)};
  }

  double latency_s = 1e-5;
  double seconds_per_byte = 2e-8;
  int64_t id_ = 0;

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> noise_;
  std::vector<Cell> cells_;
  DriftDetector detector_;
  int apart_jobs_ = 0;
};

class DriftTest : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, DriftTest, ::testing::Range(1U, 11U));

TEST_P(DriftTest, NothingIsNoticedWhereNothingHappens) {
  for (const double spread : {0.01, 0.1, 0.3}) {
    Series series(GetParam(), spread);
    EXPECT_FALSE(series.Run(5'000)) << spread << " at " << series.id_;
  }
}

TEST_P(DriftTest, ALinkAtHalfItsRateIsNoticedInMidRun) {
  Series series(GetParam());
  ASSERT_FALSE(series.Run(1'000, "long job"));
  series.seconds_per_byte *= 2;
  const std::optional<domain::Drift> drift = series.Run(200, "long job");
  ASSERT_TRUE(drift);
  EXPECT_GE(drift->first_id, 1'001 - 20);
  EXPECT_LE(drift->first_id, 1'020);
  EXPECT_LE(drift->last_id, 1'200);
  EXPECT_EQ(drift->scope.level, domain::Level::kNetwork);
  // Of the smaller blocks, only a part of the time is the link's.
  EXPECT_GT(std::exp(drift->log_factor), 1.6);
  EXPECT_LT(std::exp(drift->log_factor), 2.1);
  EXPECT_GE(drift->observation_count, 60);
  ASSERT_FALSE(drift->evidence.empty());
  EXPECT_LE(drift->evidence.size(), DriftDetector::kMaxEvidence);
  for (const domain::DriftEvidence& evidence : drift->evidence) {
    EXPECT_GT(evidence.log_factor, 0.05);
    EXPECT_GT(evidence.observation_count, 0);
  }
}

TEST_P(DriftTest, TheSameBetweenTwoJobs) {
  Series series(GetParam());
  ASSERT_FALSE(series.Run(1'000));
  series.seconds_per_byte *= 2;
  EXPECT_TRUE(series.Run(600));
  // The new times are the reference now.
  EXPECT_FALSE(series.Run(3'000));
  // The machine becomes fast again.
  series.seconds_per_byte /= 2;
  const std::optional<domain::Drift> back = series.Run(600);
  ASSERT_TRUE(back);
  EXPECT_LT(back->log_factor, -0.4);
}

// 30 % of the observations are 1.5 to 3 times slower: alone, and many at a time.
TEST_P(DriftTest, ANoisyNeighbourIsNoDrift) {
  Series series(GetParam());
  for (int burst = 0; burst < 60; ++burst) {
    const int length = static_cast<int>(series.Uniform(5, 55));
    for (int i = 0; i < length; ++i) {
      ASSERT_FALSE(series.Step("job-" + std::to_string(burst / 8), series.Uniform(1.5, 3)))
          << series.id_;
    }
    ASSERT_FALSE(series.Run(length * 7 / 3, "job-" + std::to_string(burst / 8))) << series.id_;
  }
  for (int i = 0; i < 3'000; ++i) {
    const bool slow = series.Uniform(0, 1) < 0.3;
    ASSERT_FALSE(series.Step("job", slow ? series.Uniform(1.5, 3) : 1)) << series.id_;
  }
}

TEST_P(DriftTest, OneBadJobIsNoDrift) {
  Series series(GetParam());
  ASSERT_FALSE(series.Run(1'000));
  EXPECT_FALSE(series.Run(1'000, "on a bad node", 2));
  EXPECT_FALSE(series.Run(2'000)) << series.id_;
}

// As many slow ones as make a drift if two jobs see them.
TEST_P(DriftTest, ABurstThatOneOrdinaryJobSeesIsNoDrift) {
  for (const int length : {60, 75, 90}) {
    Series series(GetParam());
    ASSERT_FALSE(series.Run(1'000, "long job"));
    EXPECT_FALSE(series.Run(length, "long job", 2)) << length;
    EXPECT_FALSE(series.Run(1'000, "long job")) << length << " at " << series.id_;
  }
  Series series(GetParam());
  ASSERT_FALSE(series.Run(1'000, "long job"));
  EXPECT_FALSE(series.Run(50, "long job", 2));
  EXPECT_TRUE(series.Run(50, "other job", 2));
}

// On machines that stay as they are. With references of one job's observations each had up to
// twelve drifts.
TEST(DriftDetectorTest, JobsThatDifferAreRarelyADrift) {
  constexpr int kMachines = 30;
  for (const size_t cells : {2, 30}) {
    for (const double apart : {0.05, 0.1, 0.15}) {
      for (const int count : {60, 300}) {
        int drifts = 0;
        for (unsigned seed = 0; seed < kMachines; ++seed) {
          Series series(1000 + seed, 0.03);
          series.KeepCells(0, cells);
          drifts += series.RunApart(40, count, apart);
        }
        EXPECT_LE(drifts, (apart < 0.15 ? 0.4 : 0.8) * kMachines)
            << apart << ", jobs of " << count << ", cells " << cells;
      }
    }
  }
}

TEST(DriftDetectorTest, AHalvedRateIsNoticedAmongJobsThatDiffer) {
  constexpr int kMachines = 100;
  for (const int jobs_before : {1, 2, 3, 10}) {
    int noticed = 0;
    for (unsigned seed = 0; seed < kMachines; ++seed) {
      Series series(100 + seed);
      series.RunApart(jobs_before, 300, 0.1);
      series.seconds_per_byte *= 2;
      series.latency_s *= 2;
      noticed += series.RunApart(2, 300, 0.1) > 0 ? 1 : 0;
    }
    EXPECT_GE(noticed, 0.9 * kMachines) << jobs_before;
  }
}

// Two jobs at once. The parts of the reference are too few to show how far jobs are apart.
TEST_P(DriftTest, AHalvedRateIsNoticedInMidRunOfTwoJobs) {
  Series series(GetParam());
  for (int i = 0; i < 500; ++i) {
    ASSERT_FALSE(series.Step("one", 1));
    ASSERT_FALSE(series.Step("two", 1.1));
  }
  std::optional<domain::Drift> drift;
  int since = 0;
  for (; !drift && since < 120; ++since) {
    drift = series.Step(since % 2 == 0 ? "one" : "two", since % 2 == 0 ? 2 : 2.2);
  }
  ASSERT_TRUE(drift);
  EXPECT_LE(since, 80);
}

TEST_P(DriftTest, CreepingIsNoticedOnceItIsFarEnough) {
  Series series(GetParam());
  ASSERT_FALSE(series.Run(1'000));
  std::optional<domain::Drift> drift;
  double slower = 1;
  while (!drift && slower < 1.5) drift = series.Run(1, "", slower *= 1.0002);
  ASSERT_TRUE(drift);
  EXPECT_LT(slower, 1.3);
}

TEST_P(DriftTest, OfOneCollectiveItIsNotTheMachines) {
  Series series(GetParam());
  series.KeepCells(0, 10);  // allreduce
  ASSERT_FALSE(series.Run(1'000, "job"));
  series.seconds_per_byte *= 2;
  series.latency_s *= 2;
  const std::optional<domain::Drift> drift = series.Run(200, "job");
  ASSERT_TRUE(drift);
  EXPECT_EQ(drift->scope.collective, "allreduce");
  EXPECT_EQ(drift->scope.library, "openmpi-4.1");
}

TEST(DriftDetectorTest, IsAFunctionOfTheObservationsAlone) {
  Series first(7);
  Series second(7);
  for (Series* series : {&first, &second}) {
    ASSERT_FALSE(series->Run(1'000, "job"));
    series->seconds_per_byte *= 2;
  }
  EXPECT_EQ(first.Run(300, "job")->last_id, second.Run(300, "job")->last_id);
}

TEST(DriftDetectorTest, ManyCellsAndReportersAreBounded) {
  DriftDetector detector;
  Cell cell;
  cell.library = "mpich-4.0";
  cell.collective = "bcast";
  for (int64_t i = 1; i <= 100'000; ++i) {
    cell.block_bytes = i;
    cell.algorithm = std::to_string(i % 7);
    cell.collective = "c" + std::to_string(i % 5'000);
    EXPECT_FALSE(detector.Observe(i, cell, -7, "job-" + std::to_string(i)));
  }
}

// The sign of a time beside a reference of `reporters` reporters, `apart` from each other.
int SignBeside(int reporters, double apart, double log_time) {
  CellReference reference;
  for (int i = 0; i < 24; ++i) {
    for (int reporter = 0; reporter < reporters; ++reporter) {
      const double noise = i % 2 == 0 ? 0.02 : -0.02;
      reference.Learn(-7 + apart * reporter + noise, static_cast<uint64_t>(reporter));
    }
  }
  return reference.SignOf(log_time, 99);
}

TEST(CellReferenceTest, KnowsHowFarItsReportersAreApart) {
  // Nobody knows how far the second job is from the first.
  EXPECT_EQ(SignBeside(1, 0, -6.8), 0);
  EXPECT_EQ(SignBeside(1, 0, -6.7), 1);
  EXPECT_EQ(SignBeside(1, 0, -7.3), -1);
  EXPECT_EQ(SignBeside(2, 0, -6.8), 0);
  // Now they are known to agree, or not.
  EXPECT_EQ(SignBeside(5, 0, -6.9), 1);
  EXPECT_EQ(SignBeside(5, 0, -6.97), 0);
  EXPECT_EQ(SignBeside(5, 0.1, -6.5), 0);
  EXPECT_EQ(SignBeside(5, 0.1, -6.2), 1);
}

TEST(CellReferenceTest, IsStrictWithItsOnlyReporter) {
  CellReference reference;
  for (int i = 0; i < 30; ++i) reference.Learn(i % 2 == 0 ? -7.02 : -6.98, 1);
  EXPECT_EQ(reference.SignOf(-6.9, 1), 1);
  EXPECT_EQ(reference.SignOf(-6.9, 2), 0);
  // Another one that is far away changes nothing.
  for (int i = 0; i < 30; ++i) reference.Learn(-6, 2);
  EXPECT_EQ(reference.SignOf(-6.9, 1), 1);
  EXPECT_EQ(reference.SignOf(-6, 2), 1);
  EXPECT_NEAR(reference.median(), -7, 0.021);
}

TEST(CellReferenceTest, WhoMostlyDeviatesHasNoPart) {
  CellReference reference;
  for (int i = 0; i < 30; ++i) reference.Learn(-7, 1);
  // A few of its times are ordinary.
  for (int i = 0; i < 30; ++i) reference.Learn(i % 4 == 0 ? -6.9 : -6.3, 2);
  EXPECT_NEAR(reference.median(), -7, 1e-9);
  EXPECT_EQ(reference.SignOf(-6.9, 1), 1);
}

// Each observation may name another reporter.
TEST(CellReferenceTest, IsCompleteAfterManyReportersToo) {
  CellReference reference;
  for (uint64_t reporter = 0; reporter < 24; ++reporter) reference.Learn(-7, reporter);
  reference.Learn(-6, 99);
  EXPECT_EQ(reference.SignOf(-6.9, 99), 1);
  // Liars do not keep it from becoming so.
  CellReference besides_liars;
  for (uint64_t reporter = 0; reporter < 5; ++reporter) besides_liars.Learn(-7, reporter);
  for (uint64_t liar = 1000; liar < 2000; ++liar) besides_liars.Learn(7, liar);
  EXPECT_EQ(besides_liars.SignOf(-6.9, 99), 0);
  for (uint64_t reporter = 5; reporter < 24; ++reporter) besides_liars.Learn(-7, reporter);
  EXPECT_EQ(besides_liars.SignOf(-6.9, 99), 1);
}

TEST(DriftDetectorTest, AgedCellsFollowTheFactorAndWeighLittle) {
  Cell cell;
  cell.weight = 500;
  cell.mean_log_time = -7;
  const Cell aged = AgedBy(std::log(2.0), cell);
  EXPECT_NEAR(aged.mean_log_time, -7 + std::log(2.0), 1e-12);
  EXPECT_EQ(aged.weight, 1);
  EXPECT_NEAR(aged.variance_log_time, 0.09, 1e-12);
  EXPECT_EQ(aged.timings_before_drift, 500);
  EXPECT_NEAR(aged.drift_log_factor, std::log(2.0), 1e-12);
  EXPECT_EQ(AgedBy(0.1, aged).timings_before_drift, 500);
  EXPECT_EQ(cell.timings_before_drift, 0);
}

TEST(DriftDetectorTest, StandardErrorsOfTheLevelAreWidened) {
  domain::Profile profile;
  for (const domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
    for (const double error : {0.0, 0.01}) {
      domain::Parameter parameter;
      parameter.model = "hockney";
      parameter.level = level;
      parameter.name = error > 0 ? "beta" : "alpha";
      parameter.value = 2;
      parameter.stderr_ = error;
      profile.parameters.push_back(parameter);
    }
  }
  domain::Drift drift;
  drift.scope.level = domain::Level::kNetwork;
  drift.log_factor = std::log(2.0);
  Widen(drift, &profile);
  EXPECT_EQ(profile.parameters[0].stderr_, 0);
  EXPECT_EQ(profile.parameters[1].stderr_, 0.01);
  EXPECT_EQ(profile.parameters[2].stderr_, 0);
  EXPECT_NEAR(profile.parameters[3].stderr_, 2 * std::log(2.0), 1e-12);
}

TEST_P(DriftTest, AStationIsComparedWithItselfWhereStationsDiffer) {
  std::mt19937 engine(GetParam());
  std::normal_distribution<double> noise(0, 0.03);
  Cell cell;
  cell.library = "openmpi-4.1";
  cell.collective = "bcast";
  cell.algorithm = "chain";
  cell.nodes = cell.ranks = 8;
  cell.block_bytes = 8192;
  cell.kind = domain::CellKind::kJob;
  constexpr int kStations = 8;
  constexpr int kChange = 400;
  DriftDetector detector;
  std::optional<domain::Drift> drift;
  int id = 0;
  while (!drift && id < 2 * kChange) {
    const int station = id % kStations;
    // The last rank of the chain waits eight times as long as the first.
    const double log_time = std::log(1e-3 * (1 + station)) + (id >= kChange ? std::log(2) : 0);
    drift = detector.Observe(++id, cell, log_time + noise(engine), "job",
                             "job@" + std::to_string(station));
  }
  ASSERT_TRUE(drift.has_value());
  EXPECT_GT(id, kChange);
  EXPECT_LE(id, kChange + 120);
  EXPECT_NEAR(drift->log_factor, std::log(2), 0.1);
}

}  // namespace
}  // namespace cox::learn
