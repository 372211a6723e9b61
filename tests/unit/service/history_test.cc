// Quantiles of a cell.
#include <gtest/gtest.h>

#include <cmath>

#include "service/history/applications.h"
#include "service/history/observed_times.h"

namespace cox::service {
namespace {

TEST(BeginOfJobName, EndsWhereANumberOrANodeBegins) {
  EXPECT_EQ(BeginOfJobName("lulesh-7"), "lulesh");
  EXPECT_EQ(BeginOfJobName("hpcg2026"), "hpcg");
  EXPECT_EQ(BeginOfJobName("uid:1000/slurm-4711.0"), "slurm");
  EXPECT_EQ(BeginOfJobName("app@n1"), "app");
  EXPECT_EQ(BeginOfJobName("app"), "app");
  EXPECT_EQ(BeginOfJobName("4711"), "4");
  EXPECT_EQ(BeginOfJobName(""), "");
}

TEST(Quantile, OfNothingIsZero) { EXPECT_EQ(QuantileOf({}, 0.5), 0); }

TEST(Quantile, OfOneIsItself) {
  store::Cell cell;
  store::AddTiming(3.7e-5, 1, store::kNotTold, cell);
  for (const double q : {0.0, 0.5, 1.0}) EXPECT_NEAR(QuantileOf(cell, q), 3.7e-5, 1e-10);
}

TEST(Quantile, IsWithinTwoPercentOfTheExactOne) {
  store::Cell cell;
  for (int i = 1; i <= 1000; ++i) store::AddTiming(1e-6 * i, 1, store::kNotTold, cell);
  for (const double q : {0.1, 0.5, 0.9, 1.0}) {
    EXPECT_NEAR(QuantileOf(cell, q) / (1e-3 * q), 1, 0.02) << q;
  }
}

TEST(Quantile, DoesNotFollowAnOutlier) {
  store::Cell cell;
  for (int i = 0; i < 99; ++i) store::AddTiming(1e-6, 1, store::kNotTold, cell);
  store::AddTiming(10, 1, store::kNotTold, cell);
  EXPECT_NEAR(QuantileOf(cell, 0.9), 1e-6, 1e-9);
  EXPECT_NEAR(QuantileOf(cell, 1), 10, 0.2);
}

}  // namespace
}  // namespace cox::service
