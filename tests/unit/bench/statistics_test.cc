#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cox::bench {
namespace {

// The samples 1, 2, ..., count: the interval's ends are then the ranks of its order statistics.
std::vector<double> Ranks(int count) {
  std::vector<double> ranks;
  for (int i = count; i >= 1; --i) ranks.push_back(i);
  return ranks;
}

// P(x[low] <= median <= x[high]) = P(low <= B <= high - 1) for B ~ binomial(count, 1/2).
double Coverage(int count, int low, int high) {
  double probability = 0;
  for (int k = low; k <= high - 1; ++k) {
    const double log_ways =
        std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1);
    probability += std::exp(log_ways - count * std::log(2.0));
  }
  return probability;
}

TEST(StatisticsTest, SummarisesInAnyOrder) {
  const Summary odd = Summarise({3, 1, 100});
  EXPECT_EQ(odd.count, 3);
  EXPECT_EQ(odd.median_s, 3);
  EXPECT_NEAR(odd.stddev_s, 56.5891, 1e-4);  // sqrt((31.667^2 + 33.667^2 + 65.333^2) / 2)
  EXPECT_EQ(Summarise({4, 1, 2, 100}).median_s, 3);
}

TEST(StatisticsTest, OneSampleAndNone) {
  EXPECT_EQ(Summarise({7}).median_s, 7);
  EXPECT_EQ(Summarise({7}).stddev_s, 0);
  EXPECT_EQ(Summarise({}).count, 0);
}

TEST(StatisticsTest, FewSamplesGiveNoInterval) {
  const Summary summary = Summarise(Ranks(5));
  EXPECT_EQ(summary.low_s, 0);
  EXPECT_EQ(summary.high_s, std::numeric_limits<double>::infinity());
}

TEST(StatisticsTest, TheIntervalCoversTheMedianWith95Percent) {
  for (int count = 6; count <= 1000; ++count) {
    const Summary summary = Summarise(Ranks(count));
    const int low = static_cast<int>(summary.low_s);
    const int high = static_cast<int>(summary.high_s);
    ASSERT_GE(Coverage(count, low, high), 0.95) << count;
    ASSERT_EQ(low, count + 1 - high) << count;
    // Not too wide either: the next pair of order statistics would be too narrow.
    if (count >= 20) {
      ASSERT_LT(Coverage(count, low + 2, high - 2), 0.95) << count;
    }
  }
}

TEST(StatisticsTest, SettlesWhenTheIntervalIsWithin5Percent) {
  std::vector<double> times_s(20, 1.0);
  EXPECT_TRUE(IsSettled(Summarise(times_s)));
  for (int i = 0; i < 10; ++i) times_s[i] = 1.2;
  EXPECT_FALSE(IsSettled(Summarise(times_s)));
}

TEST(StatisticsTest, OutliersDoNotUnsettleTheMedian) {
  std::vector<double> times_s(30, 1.0);
  times_s[0] = 1000;
  times_s[1] = 0.001;
  EXPECT_TRUE(IsSettled(Summarise(times_s)));
}

TEST(StatisticsTest, NineEqualSamplesAreTooFew) {
  EXPECT_FALSE(IsSettled(Summarise(std::vector<double>(9, 1.0))));
  EXPECT_TRUE(IsSettled(Summarise(std::vector<double>(10, 1.0))));
}

}  // namespace
}  // namespace cox::bench
