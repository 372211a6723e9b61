#include "learn/worth/lasting_sign_test.h"

#include <gtest/gtest.h>

#include <random>

namespace cox::learn {
namespace {

// Bad pairs until it is shown, after so many good ones.
int PairsNeeded(int good_count) {
  LastingSignTest test;
  for (int i = 0; i < good_count; ++i) test.Add(false);
  EXPECT_FALSE(test.IsSlower(0.01));
  int needed = 0;
  for (; needed < 100'000 && !test.IsSlower(0.01); ++needed) test.Add(true);
  return needed;
}

TEST(LastingSignTestTest, GoodPairsOfBeforeCostFewMore) {
  EXPECT_EQ(PairsNeeded(0), 9);
  EXPECT_LE(PairsNeeded(10), 20);
  EXPECT_LE(PairsNeeded(400), 30);
  EXPECT_LE(PairsNeeded(7'000), 40);
  EXPECT_LE(PairsNeeded(1'000'000), 60);
}

// The expected evidence after any number of fair pairs is 1.
TEST(LastingSignTestTest, IsAMartingale) {
  for (const int n : {1, 2, 5, 12}) {
    double sum = 0;
    for (int signs = 0; signs < 1 << n; ++signs) {
      LastingSignTest test;
      for (int i = 0; i < n; ++i) test.Add((signs >> i & 1) != 0);
      sum += test.Evidence();
    }
    EXPECT_NEAR(sum / (1 << n), 1, 1e-9) << n;
  }
}

TEST(LastingSignTestTest, LookingAfterEachPairKeepsTheErrorRate) {
  std::mt19937 random(5);
  std::bernoulli_distribution is_slower(0.5);
  int shown = 0;
  for (int run = 0; run < 2'000; ++run) {
    LastingSignTest test;
    for (int i = 0; i < 2'000 && !test.IsSlower(0.05); ++i) test.Add(is_slower(random));
    shown += test.IsSlower(0.05) ? 1 : 0;
  }
  // On average at most 100, with a standard deviation of 10.
  EXPECT_LE(shown, 130);
}

TEST(LastingSignTestTest, SaysWhereItsEvidenceBegins) {
  LastingSignTest test;
  EXPECT_TRUE(test.Add(true));
  EXPECT_FALSE(test.Add(true));
  for (int i = 0; i < 100; ++i) test.Add(false);
  EXPECT_TRUE(test.Add(true)) << "nothing is left of the first pairs";
  EXPECT_FALSE(test.Add(true));
}

}  // namespace
}  // namespace cox::learn
