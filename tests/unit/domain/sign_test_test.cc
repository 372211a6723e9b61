#include "domain/sign_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cox::domain {
namespace {

TEST(SignTestTest, NinePairsOfNineShowIt) {
  SignTest test;
  EXPECT_EQ(test.Evidence(), 1);
  for (int i = 0; i < 8; ++i) test.Add(true);
  EXPECT_FALSE(test.IsSlower(0.01));
  test.Add(true);
  EXPECT_TRUE(test.IsSlower(0.01));
  EXPECT_EQ(test.count(), 9);
  EXPECT_EQ(test.slower_count(), 9);
}

// The expected evidence after any number of fair pairs is 1.
TEST(SignTestTest, IsAMartingale) {
  for (const int n : {1, 5, 12}) {
    double sum = 0;
    for (int signs = 0; signs < 1 << n; ++signs) {
      SignTest test;
      for (int i = 0; i < n; ++i) test.Add((signs >> i & 1) != 0);
      sum += test.Evidence();
    }
    EXPECT_NEAR(sum / (1 << n), 1, 1e-9) << n;
  }
}

// How many of 2000 series of 2000 pairs are ever shown to be slower.
int Shown(double probability, double error) {
  std::mt19937 random(5);
  std::bernoulli_distribution is_slower(probability);
  int shown = 0;
  for (int run = 0; run < 2000; ++run) {
    SignTest test;
    for (int i = 0; i < 2000 && !test.IsSlower(error); ++i) test.Add(is_slower(random));
    shown += test.IsSlower(error) ? 1 : 0;
  }
  return shown;
}

TEST(SignTestTest, LookingAfterEachPairKeepsTheErrorRate) {
  // On average at most 100 and 20; with standard deviations of 10 and 4.
  EXPECT_LE(Shown(0.5, 0.05), 130);
  EXPECT_LE(Shown(0.5, 0.01), 32);
  EXPECT_LE(Shown(0.4, 0.05), 100);
  EXPECT_GE(Shown(0.6, 0.01), 1990);
}

TEST(SignTestTest, LongSeriesStayNumbers) {
  SignTest test;
  for (int i = 0; i < 1'000'000; ++i) test.Add(i % 2 == 0);
  EXPECT_TRUE(std::isfinite(test.Evidence()));
  EXPECT_LT(test.Evidence(), 1);
}

}  // namespace
}  // namespace cox::domain
