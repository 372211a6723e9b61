#include "learn/robust_location.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace cox::learn {
namespace {

LogBin One(double log_time) { return {.log_time = log_time, .count = 1, .squares = 0}; }

RobustLocation Of(std::vector<double> logs) {
  std::sort(logs.begin(), logs.end());
  std::vector<LogBin> bins;
  bins.reserve(logs.size());
  for (const double value : logs) bins.push_back(One(value));
  return LocationOf(bins);
}

// 90 honest observations of 1 ms with this spread, and `liars` false ones.
std::vector<double> HonestValues(double spread, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> noise(std::log(1e-3), spread);
  std::vector<double> logs(90);
  for (double& value : logs) value = noise(engine);
  return logs;
}

std::vector<double> With(std::vector<double> logs, size_t count, double first, double second) {
  for (size_t i = 0; i < count; ++i) logs.push_back(i % 2 == 0 ? first : second);
  return logs;
}

TEST(RobustTest, OneObservationIsTheLocation) {
  const RobustLocation location = Of({-7});
  EXPECT_EQ(location.log_time, -7);
  EXPECT_EQ(location.variance, 0);
  EXPECT_EQ(location.share, 1);
}

TEST(RobustTest, TwoMeetInTheMiddle) {
  const RobustLocation location = Of({-7, -6});
  EXPECT_NEAR(location.log_time, -6.5, 1e-9);
  EXPECT_NEAR(location.variance, 0.5, 1e-9);
}

TEST(RobustTest, NothingIsZero) { EXPECT_EQ(LocationOf({}).share, 0); }

TEST(RobustTest, IsNearlyTheMeanOfOrdinaryObservations) {
  double squares = 0;
  double variances = 0;
  constexpr unsigned kRuns = 200;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    const RobustLocation location = Of(HonestValues(0.1, seed));
    squares += std::pow(location.log_time - std::log(1e-3), 2);
    variances += location.variance;
    EXPECT_GT(location.share, 0.9);
  }
  // The mean's own error would be 0.1 / sqrt(90) = 0.0105.
  EXPECT_LT(std::sqrt(squares / kRuns), 0.0135);
  EXPECT_NEAR(std::sqrt(variances / kRuns), 0.1, 0.01);
}

TEST(RobustTest, BinsCountAsManyObservations) {
  const std::vector<double> logs = HonestValues(0.1, 3);
  std::vector<LogBin> bins;
  std::vector<double> sorted = logs;
  std::sort(sorted.begin(), sorted.end());
  for (const double value : sorted) {
    const double centre = std::round(value * 32) / 32;
    if (bins.empty() || std::abs(bins.back().log_time - centre) > 1e-9) {
      bins.push_back({.log_time = centre, .count = 0, .squares = 0});
    }
    bins.back().count += 1;
  }
  EXPECT_NEAR(LocationOf(bins).log_time, Of(logs).log_time, 0.01);
}

// Wrong by a factor of a million up and down, or constant somewhere.
TEST(RobustTest, ATenthOfLiesMovesATimeByLessThanTwoPercent) {
  for (const double spread : {0.005, 0.03, 0.1}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::vector<double> honest = HonestValues(spread, seed);
      const double truth = Of(honest).log_time;
      const double million = std::log(1e6);
      for (const auto& [first, second] :
           std::vector<std::pair<double, double>>{{truth + million, truth - million},
                                                  {truth + million, truth + million},
                                                  {truth - million, truth - million},
                                                  {0, 0},
                                                  {truth + 1, truth + 1}}) {
        EXPECT_NEAR(Of(With(honest, 10, first, second)).log_time, truth, 0.02)
            << spread << " " << first - truth << " " << second - truth;
      }
    }
  }
}

// A constant far enough away is recognised as false. One within a few spreads of the truth moves
// the time by less than 1.4 spreads.
TEST(RobustTest, ThreeTenthsOfLiesMoveATimeByLessThanTenPercent) {
  for (const double spread : {0.005, 0.03, 0.06}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::vector<double> honest = HonestValues(spread, seed);
      const double truth = Of(honest).log_time;
      // 39 of 129 are 30 %, with any constant.
      for (double lie = -14; lie <= 14; lie += 0.05) {
        EXPECT_NEAR(Of(With(honest, 39, truth + lie, truth + lie)).log_time, truth, 0.1)
            << spread << " " << lie;
      }
    }
  }
}

TEST(RobustTest, AFewObservationsOutvoteOneLie) {
  const RobustLocation location = Of({-7, -7.02, -6.99, 7});
  EXPECT_NEAR(location.log_time, -7, 0.02);
  EXPECT_NEAR(location.share, 0.75, 1e-9);
  EXPECT_LT(location.variance, 0.01);
}

}  // namespace
}  // namespace cox::learn
