#include "agent/stream/estimator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "domain/collective.h"

namespace cox::agent {
namespace {

TEST(EstimatorTest, IsByWhoCanLeaveBeforeTheLastHasEntered) {
  const std::string waiting[] = {"allgather", "allgatherv",     "allreduce",
                                 "alltoall",  "alltoallv",      "alltoallw",
                                 "barrier",   "reduce_scatter", "reduce_scatter_block"};
  for (int32_t i = 0; i < domain::kCollectiveCount; ++i) {
    const bool waits =
        std::count(std::begin(waiting), std::end(waiting), domain::kCollectiveNames[i]) > 0;
    EXPECT_EQ(EstimatorOf(i) == Estimator::kLowQuantile, waits) << domain::kCollectiveNames[i];
  }
  EXPECT_EQ(EstimatorOf(static_cast<int32_t>(domain::Collective::kScatter)),
            Estimator::kGreatestMean);
  EXPECT_EQ(EstimatorOf(static_cast<int32_t>(domain::Collective::kScatterv)), Estimator::kMean);
}

TEST(LowQuantileTest, OfOneTimingIsThatTiming) {
  std::vector<float> timings = {7};
  EXPECT_EQ(LowQuantile(&timings, 1), 7);
  EXPECT_EQ(LowQuantile(&timings, 1000), 7);
}

TEST(LowQuantileTest, IsInterpolatedAndNeverAboveTheMedian) {
  std::vector<float> timings = {50, 10, 40, 30, 20};
  EXPECT_DOUBLE_EQ(LowQuantile(&timings, 1), 30);
  EXPECT_DOUBLE_EQ(LowQuantile(&timings, 3), 30);
  EXPECT_DOUBLE_EQ(LowQuantile(&timings, 6), 20);   // a quarter of the way
  EXPECT_DOUBLE_EQ(LowQuantile(&timings, 12), 15);  // an eighth
  EXPECT_NEAR(LowQuantile(&timings, 1'000'000), 10, 1e-3);
}

// A collective of 1000 ns among p ranks that arrive with exponential delays.
TEST(LowQuantileTest, IsNearTheTruthWhereTheMeanIsFarFromIt) {
  std::mt19937 random(7);
  std::exponential_distribution<double> delay(1.0 / 3000);
  for (const int ranks : {4, 8, 16, 32}) {
    std::vector<float> seen;
    double sum = 0;
    for (int call = 0; call < 64; ++call) {
      std::vector<double> enter(static_cast<size_t>(ranks));
      for (double& at : enter) at = delay(random);
      const double last = *std::max_element(enter.begin(), enter.end());
      for (const double at : enter) {
        seen.push_back(static_cast<float>(last + 1000 - at));
        sum += last + 1000 - at;
      }
    }
    const double mean = sum / static_cast<double>(seen.size());
    const double estimate = LowQuantile(&seen, ranks);
    EXPECT_GT(mean, 4000) << ranks;
    EXPECT_GE(estimate, 1000) << ranks;
    EXPECT_LT(estimate, 3200) << ranks;
  }
}

TEST(LowQuantileTest, NeedsMoreTimingsOfMoreRanksUpToABound) {
  EXPECT_EQ(TimingsForLowQuantile(1), 4);
  EXPECT_EQ(TimingsForLowQuantile(8), 32);
  EXPECT_EQ(TimingsForLowQuantile(100'000), 256);
}

}  // namespace
}  // namespace cox::agent
