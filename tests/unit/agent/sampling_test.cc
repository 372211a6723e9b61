#include "agent/sampling.h"

#include <gtest/gtest.h>

#include <vector>

namespace cox::agent {
namespace {

// Runs calls that take call_s each, where a sample costs sample_s; returns which were sampled.
std::vector<uint64_t> RunCalls(uint64_t calls, double call_s, double sample_s, double* elapsed_s,
                               double* spent_s) {
  SampleSchedule schedule(SampleSchedule::kFirstOfWorld);
  std::vector<uint64_t> sampled;
  for (uint64_t call = 1; call <= calls; ++call) {
    *elapsed_s += call_s;
    if (!schedule.IsDue()) continue;
    sampled.push_back(call);
    *elapsed_s += sample_s;
    *spent_s += sample_s;
    schedule.Plan({*spent_s, sample_s, *elapsed_s});
  }
  return sampled;
}

TEST(SampleScheduleTest, GapsGrowWhereSamplesAreCheap) {
  double elapsed_s = 0;
  double spent_s = 0;
  const std::vector<uint64_t> sampled = RunCalls(100'000, 1e-2, 1e-7, &elapsed_s, &spent_s);
  EXPECT_EQ(sampled.front(), SampleSchedule::kFirstOfWorld);
  EXPECT_LT(sampled[5], 100);
  const uint64_t bound = SampleSchedule::kMaxGap + SampleSchedule::kMaxGap / 4 + 2;
  for (size_t i = 1; i < sampled.size(); ++i) EXPECT_LE(sampled[i] - sampled[i - 1], bound);
  EXPECT_GT(sampled.size(), 100'000 / bound);
}

TEST(SampleScheduleTest, StaysWithinTheBudgetWhereTheyAreNot) {
  for (const double sample_s : {1e-5, 1e-4, 1e-3}) {
    double elapsed_s = 0;
    double spent_s = 0;
    const std::vector<uint64_t> sampled = RunCalls(1'000'000, 1e-5, sample_s, &elapsed_s, &spent_s);
    EXPECT_LE(spent_s, SampleSchedule::kBudget * elapsed_s + sample_s) << sample_s;
    EXPECT_GT(sampled.size(), 10) << sample_s;
  }
}

TEST(SampleScheduleTest, SomeOfEveryCallOfAPatternAreSampled) {
  for (const uint64_t period : {2, 3, 4, 6, 8, 10, 16}) {
    double elapsed_s = 0;
    double spent_s = 0;
    std::vector<int> seen(period);
    for (const uint64_t call : RunCalls(200'000, 1e-3, 1e-5, &elapsed_s, &spent_s))
      ++seen[call % period];
    for (uint64_t i = 0; i < period; ++i) EXPECT_GT(seen[i], 0) << period << ' ' << i;
  }
}

TEST(SampleScheduleTest, WhatCannotBeAffordedIsAskedForLessAndLess) {
  SampleSchedule schedule(200);
  int asked = 0;
  for (int call = 0; call < 100'000; ++call) {
    if (!schedule.IsDue()) continue;
    ++asked;
    schedule.Postpone();
  }
  EXPECT_EQ(asked, 5);  // 200, 800, 3200, 12800, 51200
  EXPECT_TRUE(SampleSchedule::Affords(0, 0));
  EXPECT_TRUE(SampleSchedule::Affords(0.004, 1));
  EXPECT_FALSE(SampleSchedule::Affords(0.006, 1));
}

TEST(SampleScheduleTest, TimesThatCannotBeDoNoHarm) {
  SampleSchedule schedule(SampleSchedule::kFirstOfOthers);
  while (!schedule.IsDue()) {
  }
  schedule.Plan({1e300, 1e300, 0});
  EXPECT_GT(schedule.next(), schedule.calls());
  schedule.Plan({0, 0, -5});
  EXPECT_GT(schedule.next(), schedule.calls());
}

}  // namespace
}  // namespace cox::agent
