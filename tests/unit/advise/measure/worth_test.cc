#include "advise/measure/worth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/correct/surface/sample_places.h"

namespace cox::advise {
namespace {

constexpr learn::Coordinates kHere = {5, 3, 10};
constexpr learn::Coordinates kNear = {5, 3, 11};
constexpr learn::Coordinates kFar = {9, 7, 20};

// E[max(0, chosen - x)] for a normally distributed ln(time) x: what a decision for `chosen` loses,
// and nothing once x is known.
double Loss(double chosen, double mean, double sigma) {
  constexpr int kSteps = 20'000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = -8 + 16 * (i + 0.5) / kSteps;
    const double x = mean + sigma * z;
    sum += std::max(0.0, chosen - x) * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) * 16 / kSteps;
  }
  return sum;
}

TEST(WorthTest, AnExactTimingIsWorthTheWholeLoss) {
  const Belief chosen{.log_time = -10};
  for (const double mean : {-11.0, -10.2, -10.0, -9.5, -8.0}) {
    for (const double sigma : {0.1, 0.5, 1.5}) {
      const Belief other{.log_time = mean, .variance = sigma * sigma};
      EXPECT_NEAR(ExpectedReduction(chosen, other, TimingOf::kOther, 1), Loss(-10, mean, sigma),
                  1e-4)
          << mean << " " << sigma;
    }
  }
}

TEST(WorthTest, LessKnowledgeIsWorthLess) {
  const Belief chosen{.log_time = -10, .variance = 0.04};
  for (const double mean : {-10.3, -10.0, -9.7}) {
    const Belief other{.log_time = mean, .variance = 0.25};
    double least = 0;
    for (const double share : {0.1, 0.5, 0.9, 1.0}) {
      const double worth = ExpectedReduction(chosen, other, TimingOf::kOther, share);
      EXPECT_GT(worth, least) << mean << " " << share;
      least = worth;
    }
    EXPECT_EQ(ExpectedReduction(chosen, other, TimingOf::kOther, 0), 0);
  }
}

TEST(WorthTest, TheLessSureOfTwoIsWorthMore) {
  const Belief sure{.log_time = -10, .variance = 0.01};
  const Belief unsure{.log_time = -10.1, .variance = 0.25};
  EXPECT_GT(ExpectedReduction(sure, unsure, TimingOf::kOther, 1),
            ExpectedReduction(sure, unsure, TimingOf::kChosen, 1));
}

TEST(WorthTest, WhatIsCertainIsWorthNothing) {
  const Belief certain{.log_time = -10};
  EXPECT_EQ(ExpectedReduction(certain, {.log_time = -9}, TimingOf::kOther, 1), 0);
  EXPECT_EQ(ExpectedReduction(certain, {.log_time = -11}, TimingOf::kOther, 1), 0);
}

TEST(WorthTest, ATimingTellsLessTheFartherItIs) {
  const Belief timed{.log_time = -10, .variance = 0.25};
  const double here = PassedOn(timed, kHere, kHere);
  const double near = PassedOn(timed, kHere, kNear);
  const double far = PassedOn(timed, kHere, kFar);
  EXPECT_GT(here, 0.95);
  EXPECT_LT(here, 1) << "two runs of a call differ";
  EXPECT_LT(near, here);
  EXPECT_LT(far, near);
  EXPECT_GT(far, 0);
  EXPECT_EQ(PassedOn({}, kHere, kHere), 0) << "nothing is left to learn";
}

TEST(WorthTest, ALearnedBeliefIsSurerAndWorthLess) {
  const Belief chosen{.log_time = -10, .variance = 0.04};
  const Belief before{.log_time = -9.9, .variance = 0.25};
  double least = 0;
  for (const auto& at : {kHere, kNear, kFar}) {
    Belief after = before;
    Learn(before, kHere, at, &after);
    EXPECT_EQ(after.log_time, before.log_time);
    EXPECT_LT(after.variance, before.variance);
    const double worth = ExpectedReduction(chosen, after, TimingOf::kOther, 0.9);
    EXPECT_GT(worth, least);
    EXPECT_LT(worth, ExpectedReduction(chosen, before, TimingOf::kOther, 0.9));
    least = worth;
  }
}

TEST(WorthTest, ThresholdsAreNear) {
  const Belief timed{.log_time = -10, .variance = 0.25};
  // Twice the ranks and nodes, or sixteen times the bytes, tell less than half.
  EXPECT_LT(PassedOn(timed, kHere, {6, 4, 10}), 0.5);
  EXPECT_LT(PassedOn(timed, kHere, {5, 3, 14}), 0.5);
  EXPECT_GT(PassedOn(timed, kHere, kNear), 0.5);
}

}  // namespace
}  // namespace cox::advise
