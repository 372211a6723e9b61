#include "advise/best_ranges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace cox::advise {
namespace {

using Curve = std::function<double(double)>;

BestRanges Follow(const std::vector<Curve>& curves, int64_t min, int64_t max,
                  const std::vector<int64_t>& knees = {}, const RangeLimits& limits = {}) {
  return FollowBest(
      curves.size(), [&](size_t i, int64_t size) { return curves[i](static_cast<double>(size)); },
      min, max, knees, limits);
}

// The definition, size by size.
BestRanges BruteForce(const std::vector<Curve>& curves, int64_t min, int64_t max) {
  BestRanges result;
  result.through = max;
  for (int64_t size = min; size <= max; ++size) {
    std::vector<double> amounts;
    for (const Curve& curve : curves) amounts.push_back(curve(static_cast<double>(size)));
    double least = amounts[0];
    for (const double amount : amounts) least = std::min(least, amount);
    const auto is_among_least = [&](size_t i) { return amounts[i] * (1 - kTieShare) <= least; };
    if (!result.ranges.empty() && is_among_least(result.ranges.back().curve)) continue;
    size_t best = 0;
    while (!is_among_least(best)) ++best;
    const double previous = result.ranges.empty() ? 0 : amounts[result.ranges.back().curve];
    result.ranges.push_back({size, best, amounts[best], previous});
  }
  return result;
}

void ExpectSame(const BestRanges& a, const BestRanges& b) {
  EXPECT_EQ(a.through, b.through);
  ASSERT_EQ(a.ranges.size(), b.ranges.size());
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    EXPECT_EQ(a.ranges[i].from, b.ranges[i].from) << i;
    EXPECT_EQ(a.ranges[i].curve, b.ranges[i].curve) << i;
    EXPECT_EQ(a.ranges[i].amount, b.ranges[i].amount) << i;
    EXPECT_EQ(a.ranges[i].previous_amount, b.ranges[i].previous_amount) << i;
  }
}

TEST(BestRangesTest, FindsWhereTwoLinesCrossToTheByte) {
  const std::vector<Curve> curves = {[](double b) { return 7 + b; },
                                     [](double b) { return 1000.5 + 0.5 * b; }};
  const BestRanges found = Follow(curves, 0, int64_t{1} << 40);
  ASSERT_EQ(found.ranges.size(), 2U);
  EXPECT_EQ(found.ranges[1].from, 1988);  // 7 + b > 1000.5 + b / 2 first at 1988
  EXPECT_EQ(found.ranges[1].curve, 1U);
  EXPECT_EQ(found.ranges[1].previous_amount, 7 + 1988);
  EXPECT_EQ(found.through, int64_t{1} << 40);
}

// The second line is the least of 1500 .. 1600 and from 5000 on. Between 1024 and 2048 the first
// change is undone.
TEST(BestRangesTest, WithoutLookingBetweenOnlyChangesThatLastAreSeenButToTheByte) {
  const std::vector<Curve> curves = {
      [](double b) { return b; },
      [](double b) { return (b >= 1500 && b <= 1600) || b >= 5000 ? b - 1 : b + 1; }};
  RangeLimits limits;
  limits.looks_between = false;
  const BestRanges found = Follow(curves, 1, 1 << 20, {}, limits);
  ASSERT_EQ(found.ranges.size(), 2U);
  EXPECT_EQ(found.ranges[1].from, 5000);
  EXPECT_EQ(found.ranges[1].previous_amount, 5000);
  EXPECT_EQ(found.through, 1 << 20);
  EXPECT_EQ(Follow(curves, 1, 1 << 20).ranges.size(), 4U);
}

TEST(BestRangesTest, CurvesThatCostTheSameDoNotTakeTurns) {
  const std::vector<Curve> curves = {[](double b) { return 3 * (1 + 1e-16 * b) + b; },
                                     [](double b) { return 3 + b; }};
  EXPECT_EQ(Follow(curves, 1, int64_t{1} << 30).ranges.size(), 1U);
}

TEST(BestRangesTest, AgreesWithEverySizeForLinesStepsAndHyperbolas) {
  const auto steps = [](double start, double step, double each) {
    return [=](double b) { return start + each * std::ceil(b / step); };
  };
  const auto line = [](double start, double each) {
    return [=](double b) { return start + each * b; };
  };
  const auto hyperbola = [](double a, double b) {
    return [=](double x) { return a * a / (a + b * x) + b * x; };
  };
  const std::vector<std::vector<Curve>> families = {
      {line(0, 3), line(100, 2.9), line(900, 2), line(901, 2), line(5000, 1)},
      {steps(10, 7, 70), steps(12, 11, 110), steps(11, 13, 130), line(5, 10.01)},
      {steps(0, 64, 64), steps(1, 512, 512), steps(30, 8, 8)},
      {steps(100, 512, 100), line(50, 0.22), hyperbola(300, 0.18)},
      {hyperbola(10, 0.2), hyperbola(200, 0.19), hyperbola(900, 0.05), line(9, 0.21)},
      // A line with small steps on it.
      {[](double b) { return b + 0.3 * std::floor(b / 100); }, line(20, 1.001), line(60, 0.999)},
  };
  const RangeLimits limits{.ranges = 100000};
  for (size_t i = 0; i < families.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectSame(Follow(families[i], 0, 30000, {}, limits), BruteForce(families[i], 0, 30000));
    ExpectSame(Follow(families[i], 777, 4099, {}, limits), BruteForce(families[i], 777, 4099));
  }
}

TEST(BestRangesTest, AFallAtAKneeIsSeen) {
  const std::vector<Curve> curves = {
      [](double b) { return 100 + b; },
      // Falls below the other one between 5000 and 5009 only.
      [](double b) { return b < 5000 || b >= 5010 ? 200 + b : 50 + b; }};
  const BestRanges found = Follow(curves, 0, 100000, {5000});
  ASSERT_EQ(found.ranges.size(), 3U);
  EXPECT_EQ(found.ranges[1].from, 5000);
  EXPECT_EQ(found.ranges[2].from, 5010);
}

TEST(BestRangesTest, OneSizeIsOneRange) {
  const std::vector<Curve> curves = {[](double) { return 2.0; }, [](double) { return 1.0; }};
  const BestRanges found = Follow(curves, 8, 8);
  ASSERT_EQ(found.ranges.size(), 1U);
  EXPECT_EQ(found.ranges[0].curve, 1U);
  EXPECT_EQ(found.through, 8);
  EXPECT_TRUE(Follow({}, 8, 80).ranges.empty());
}

TEST(BestRangesTest, BoundsEndItEarlyAndItSaysWhere) {
  // Changes at every size.
  const std::vector<Curve> curves = {[](double b) { return b + (std::fmod(b, 2) == 0 ? 0.5 : 0); },
                                     [](double b) { return b + (std::fmod(b, 2) == 0 ? 0 : 0.5); }};
  const BestRanges all = BruteForce(curves, 0, 999);
  const BestRanges few = Follow(curves, 0, 999, {}, {.ranges = 10});
  ASSERT_EQ(few.ranges.size(), 10U);
  EXPECT_EQ(few.through, 9);
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(few.ranges[i].from, all.ranges[i].from);
  const BestRanges cut =
      Follow(curves, 0, int64_t{1} << 40, {}, {.ranges = 1000, .evaluations = 500});
  EXPECT_LT(cut.through, 999);
  ASSERT_FALSE(cut.ranges.empty());
  EXPECT_LE(cut.ranges.back().from, cut.through);
  ExpectSame(
      {cut.ranges, 999},
      {{all.ranges.begin(), all.ranges.begin() + static_cast<int64_t>(cut.ranges.size())}, 999});
}

}  // namespace
}  // namespace cox::advise
