#include "learn/correct/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cox::learn {
namespace {

Point PointAt(double nodes, double ppn, double block_bytes) {
  return {nodes, ppn, nodes * ppn, block_bytes};
}

std::vector<Point> Places() {
  std::vector<Point> places;
  for (double nodes : {1, 2, 4, 8}) {
    for (double ppn : {1, 4, 16}) {
      for (double bytes : {0, 64, 4096, 262144}) places.push_back(PointAt(nodes, ppn, bytes));
    }
  }
  return places;
}

TEST(GrowthTest, FindsTheTermsBehindExactTimes) {
  const auto time_at = [](const Point& point) {
    return 2e-6 * point.ranks + 1e-9 * point.block_bytes * point.ranks;
  };
  std::vector<GrowthSample> samples;
  for (const Point& place : Places()) samples.push_back({place, 0, time_at(place), 1});
  const Growth growth = FitGrowth(samples);
  // Also eight times farther out than any sample.
  for (const Point& asked : {PointAt(2, 16, 512), PointAt(64, 16, 262144), PointAt(64, 16, 0)}) {
    EXPECT_NEAR(growth.TimeAt(asked, 0) / time_at(asked), 1, 0.1);
  }
}

TEST(GrowthTest, BelievesAStructuralPriceWithoutSamples) {
  EXPECT_EQ(FitGrowth({}).TimeAt(PointAt(2, 2, 8), 3e-6), 0);
  const std::vector<GrowthSample> one = {{PointAt(2, 2, 8), 1e-5, 1e-5, 1}};
  EXPECT_NEAR(FitGrowth(one).TimeAt(PointAt(16, 16, 8), 7e-4) / 7e-4, 1, 0.02);
}

// Half as long again as the price, once: that would grow as ranks times bytes to eleven times the
// price.
TEST(GrowthTest, OneSampleShowsNoOtherGrowth) {
  const auto price_at = [](const Point& point) {
    return std::log2(point.ranks) * (3e-6 + 4e-10 * point.block_bytes);
  };
  const Point timed = PointAt(8, 1, 1024);
  const std::vector<GrowthSample> one = {{timed, price_at(timed), 1.5 * price_at(timed), 1}};
  const Growth growth = FitGrowth(one);
  for (const Point& asked : {PointAt(16, 8, 65536), PointAt(2, 1, 8)}) {
    const double ratio = growth.TimeAt(asked, price_at(asked)) / price_at(asked);
    EXPECT_GT(ratio, 1);
    EXPECT_LT(ratio, 2.5);
  }
  // Without a price they show all that is known.
  const std::vector<GrowthSample> unknown = {{timed, 0, 1e-5, 1}};
  EXPECT_NEAR(FitGrowth(unknown).TimeAt(timed, 0) / 1e-5, 1, 0.01);
}

TEST(GrowthTest, ABorrowedFormHasAnyScaleAndKeepsItsGrowth) {
  // Long blocks alone, 300 times as long as the form says, and 20 % off it either way.
  std::vector<GrowthSample> samples;
  const auto form_at = [](const Point& point) { return 1e-6 + 1e-10 * point.block_bytes; };
  for (const auto& [bytes, off] : {std::pair(1e6, 1.2), std::pair(2e6, 0.8), std::pair(4e6, 1.2)}) {
    const Point point = PointAt(16, 4, bytes);
    samples.push_back({point, form_at(point), 300 * off * form_at(point), 1});
  }
  const Point small = PointAt(16, 4, 8);
  const auto off_by = [&](const GrowthPrior& prior) {
    const double time_s = FitGrowth(samples, prior).TimeAt(small, form_at(small));
    return std::abs(std::log(time_s / (300 * form_at(small))));
  };
  EXPECT_LT(off_by(kBorrowedForm), std::log(6.0));
  EXPECT_GT(off_by(kKnownForm), std::log(9.0));
}

TEST(GrowthTest, LearnsAConstantFactorOnAStructuralPrice) {
  std::vector<GrowthSample> samples;
  for (const Point& place : Places()) {
    const double price_s = 1e-6 * place.ranks + 1e-10 * place.block_bytes;
    samples.push_back({place, price_s, 2.5 * price_s, 1});
  }
  const Growth growth = FitGrowth(samples);
  EXPECT_NEAR(growth.coefficients[0], 2.5, 0.2);
}

TEST(GrowthTest, CoefficientsAreNeverNegative) {
  std::vector<GrowthSample> samples;
  for (const Point& place : Places()) {
    samples.push_back({place, 0, 1e-3 / (1 + place.ranks + place.block_bytes), 1});
  }
  for (double coefficient : FitGrowth(samples).coefficients) EXPECT_GE(coefficient, 0);
}

TEST(GrowthTest, ScaleOfTimesDoesNotMatter) {
  std::vector<GrowthSample> samples;
  for (const Point& place : Places()) {
    samples.push_back({place, 0, 1e-6 + 1e-10 * place.block_bytes * std::sqrt(place.ranks), 1});
  }
  std::vector<GrowthSample> scaled = samples;
  for (GrowthSample& sample : scaled) sample.time_s *= 1e6;
  const Point asked = PointAt(4, 4, 1024);
  EXPECT_NEAR(FitGrowth(scaled).TimeAt(asked, 0) / (1e6 * FitGrowth(samples).TimeAt(asked, 0)), 1,
              1e-6);
}

}  // namespace
}  // namespace cox::learn
