#include "learn/calibrate/regimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/calibrate/buffer_limit.h"

namespace cox::learn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The error of a constant that is fitted to steps of these heights.
std::vector<size_t> BordersOf(const std::vector<double>& heights) {
  return FindBorders(heights.size(), 1, [&](size_t begin, size_t end) {
    double mean = 0;
    for (size_t i = begin; i < end; ++i) mean += heights[i] / static_cast<double>(end - begin);
    Misfit misfit;
    for (size_t i = begin; i < end; ++i) {
      misfit.error_sum += 4 * std::abs(heights[i] / mean - 1);
      misfit.timings += 4;
    }
    return misfit;
  });
}

TEST(RegimesTest, OneRegimeHasNoBorder) {
  EXPECT_THAT(BordersOf({1, 1.01, 0.99, 1, 1.01, 0.99, 1, 1.01}), IsEmpty());
}

TEST(RegimesTest, FindsEachStep) {
  EXPECT_THAT(BordersOf({1, 1, 1, 2, 2, 2, 2}), ElementsAre(3));
  EXPECT_THAT(BordersOf({1, 1, 1, 3, 3, 3, 3, 9, 9, 9}), ElementsAre(3, 7));
}

TEST(RegimesTest, ABumpNeedsTwoBordersAtOnce) {
  EXPECT_THAT(BordersOf({1, 1, 1, 1, 4, 4, 4, 1, 1, 1, 1}), ElementsAre(4, 7));
}

TEST(RegimesTest, NeverMoreThanThreeNorShorterThanThreeSizes) {
  std::vector<double> heights;
  for (int step = 0; step < 8; ++step) heights.insert(heights.end(), 3, std::pow(3, step));
  EXPECT_LE(BordersOf(heights).size(), 3);
  EXPECT_THAT(BordersOf({1, 1, 5, 5, 5}), IsEmpty());
}

TEST(BufferLimitTest, FloodsThatFillItShowIt) {
  // 100 messages are held; one leaves each microsecond, and handing over takes no time.
  std::vector<Flood> floods;
  for (const double messages : {10.0, 50.0, 200.0, 800.0, 3200.0}) {
    floods.push_back({messages, 1e-6 * std::max(1.0, messages - 100)});
  }
  const auto limit = BufferLimit(floods, 1e-6);
  ASSERT_TRUE(limit.has_value());
  EXPECT_NEAR(*limit, 100, 1);
}

TEST(BufferLimitTest, FloodsThatDoNotFillItShowNothing) {
  EXPECT_FALSE(BufferLimit({{10, 1e-6}, {100, 1e-6}, {1000, 1e-6}}, 1e-6).has_value());
  EXPECT_FALSE(BufferLimit({{10, 1e-5}, {100, 1e-4}, {1000, 1e-3}}, 1e-6).has_value());
  EXPECT_FALSE(BufferLimit({{10, 1e-6}, {100, 1e-6}}, 1e-6).has_value());
  EXPECT_FALSE(BufferLimit({{10, 1e-6}, {50, 1e-6}, {60, 1e-6}}, 0).has_value());
  // Two runs: the same flood twice holds as much twice.
  EXPECT_FALSE(
      BufferLimit(
          {{192, 19e-6}, {768, 77e-6}, {3072, 307e-6}, {192, 19e-6}, {768, 77e-6}, {3072, 308e-6}},
          1e-6)
          .has_value());
}

}  // namespace
}  // namespace cox::learn
