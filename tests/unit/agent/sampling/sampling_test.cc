#include "agent/sampling/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr double kShare = SampleAccount::kShare;

// Ranks that do everything together.
struct Job {
  explicit Job(uint32_t first = SampleSchedule::kFirstOfWorld) : schedule(first) {}

  // One call that takes call_s; true if it was sampled.
  bool Call(domain::Collective collective, double call_s, double question_s, double sample_s) {
    elapsed_s += call_s;
    if (!schedule.IsDue(collective)) return false;
    const double lacks_s = account.Lacks(elapsed_s, share, 4 * question_s, 0) + question_s / share;
    const double then_s =
        account.Lacks(elapsed_s, share, 4 * question_s, others) + 2 * question_s / share;
    account.Spend(question_s);
    elapsed_s += question_s;
    if (lacks_s > 0) {
      ++put_off;
      schedule.PutOff({then_s, elapsed_s});
      return false;
    }
    account.Spend(sample_s);
    elapsed_s += sample_s;
    schedule.Sampled(
        collective,
        {account.Lacks(elapsed_s, share, 4 * question_s, others) + question_s / share, elapsed_s});
    return true;
  }

  SampleSchedule schedule;
  SampleAccount account;
  double share = kShare;
  double elapsed_s = 0;
  int others = 0;  // communicators that take from the same account
  int put_off = 0;
};

std::vector<uint64_t> Sampled(Job* job, uint64_t calls, double call_s, double sample_s) {
  std::vector<uint64_t> sampled;
  for (uint64_t call = 1; call <= calls; ++call) {
    if (job->Call(domain::Collective::kBcast, call_s, sample_s / 3, sample_s))
      sampled.push_back(call);
  }
  return sampled;
}

TEST(SampleScheduleTest, GapsGrowWhereSamplesAreCheap) {
  Job job;
  const std::vector<uint64_t> sampled = Sampled(&job, 100'000, 1e-2, 1e-7);
  EXPECT_EQ(sampled.front(), SampleSchedule::kFirstOfWorld);
  EXPECT_LT(sampled[5], 100);
  const uint64_t bound = SampleSchedule::kMaxGap + SampleSchedule::kMaxGap / 4 + 2;
  for (size_t i = 1; i < sampled.size(); ++i) EXPECT_LE(sampled[i] - sampled[i - 1], bound);
  EXPECT_GT(sampled.size(), 100'000 / bound);
}

TEST(SampleScheduleTest, StaysWithinTheShareWhereTheyAreNot) {
  for (const double sample_s : {1e-5, 1e-4, 1e-3}) {
    Job job;
    const std::vector<uint64_t> sampled = Sampled(&job, 1'000'000, 1e-5, sample_s);
    EXPECT_LE(job.account.spent_s(), kShare * job.elapsed_s + sample_s) << sample_s;
    // And uses it.
    EXPECT_GT(job.account.spent_s(), kShare * job.elapsed_s / 2 - sample_s) << sample_s;
    EXPECT_GT(sampled.size(), 10) << sample_s;
  }
}

// Each collective's first samples, too.
TEST(SampleScheduleTest, StaysWithinTheShareInAnyMixOfCollectives) {
  constexpr double kSample_s = 1e-4;
  const std::function<int(uint64_t)> mixes[] = {
      [](uint64_t call) { return static_cast<int>(call % domain::kCollectiveCount); },
      [](uint64_t call) { return static_cast<int>(call / 50 % domain::kCollectiveCount); },
      [](uint64_t call) { return call % 997 == 0 ? 3 : 7; },
      [](uint64_t call) { return static_cast<int>(call * call / 7 % domain::kCollectiveCount); }};
  for (const auto& mix : mixes) {
    Job job;
    for (uint64_t call = 1; call <= 200'000; ++call) {
      job.Call(static_cast<domain::Collective>(mix(call)), 2e-5, kSample_s / 3, kSample_s);
      EXPECT_LE(job.account.spent_s(), kShare * job.elapsed_s + 2 * kSample_s) << call;
    }
  }
}

TEST(SampleScheduleTest, StaysWithinTheShareWhateverThePace) {
  constexpr double kSample_s = 1e-4;
  Job job;
  for (uint64_t call = 1; call <= 300'000; ++call) {
    // Slow, fast, and faster again: the planned sample comes too early.
    const double call_s = call < 1000 ? 1e-2 : call < 50'000 ? 1e-5 : call < 60'000 ? 1e-3 : 1e-6;
    job.Call(domain::Collective::kAllreduce, call_s, kSample_s / 3, kSample_s);
    EXPECT_LE(job.account.spent_s(), kShare * job.elapsed_s + 3 * kSample_s) << call;
  }
  EXPECT_LT(job.put_off, 20);
}

TEST(SampleScheduleTest, CommunicatorsShareTheAccount) {
  constexpr double kSample_s = 1e-4;
  for (const int count : {2, 3, 11}) {
    Job job;
    job.others = count - 1;
    std::vector<SampleSchedule> schedules(count, SampleSchedule(SampleSchedule::kFirstOfOthers));
    std::vector<int> samples(count);
    for (uint64_t call = 1; call <= 1'000'000; ++call) {
      // One of them is called three times as often as the others.
      const int which = static_cast<int>(call % (count + 2)) % count;
      std::swap(job.schedule, schedules[which]);
      samples[which] +=
          job.Call(domain::Collective::kAllreduce, 2e-5, kSample_s / 3, kSample_s) ? 1 : 0;
      std::swap(job.schedule, schedules[which]);
      EXPECT_LE(job.account.spent_s(), kShare * job.elapsed_s + 4 * kSample_s) << call;
    }
    const int all = std::accumulate(samples.begin(), samples.end(), 0);
    EXPECT_LT(job.put_off, all + 30) << count;
    EXPECT_GT(all, 400) << count;
    EXPECT_GT(*std::ranges::min_element(samples), all / count / 4) << count;
  }
}

TEST(SampleScheduleTest, WhatIsCalledSeldomIsSampledNoLess) {
  Job job;
  std::map<int, int> samples;
  for (uint64_t call = 1; call <= 1'000'000; ++call) {
    const domain::Collective collective =
        call % 100 == 0 ? domain::Collective::kAlltoall : domain::Collective::kAllreduce;
    if (job.Call(collective, 1e-5, 3e-4, 1e-3)) ++samples[static_cast<int>(collective)];
  }
  const int seldom = samples[static_cast<int>(domain::Collective::kAlltoall)];
  const int often = samples[static_cast<int>(domain::Collective::kAllreduce)];
  EXPECT_GT(seldom, 10);
  EXPECT_GT(2 * seldom, often);
}

TEST(SampleScheduleTest, SomeOfEveryCallOfAPatternAreSampled) {
  for (const uint64_t period : {2, 3, 4, 6, 8, 10, 16}) {
    Job job;
    std::vector<int> seen(period);
    for (const uint64_t call : Sampled(&job, 200'000, 1e-3, 1e-5)) ++seen[call % period];
    for (uint64_t i = 0; i < period; ++i) EXPECT_GT(seen[i], 0) << period << ' ' << i;
  }
}

TEST(SampleScheduleTest, WithoutABoundOnlyTheGapsCount) {
  Job job;
  job.share = INFINITY;
  const std::vector<uint64_t> sampled = Sampled(&job, 1000, 1e-6, 1);
  EXPECT_EQ(sampled.front(), SampleSchedule::kFirstOfWorld);
  EXPECT_EQ(job.put_off, 0);
  EXPECT_GT(sampled.size(), 5);
}

TEST(SampleScheduleTest, TimesThatCannotBeDoNoHarm) {
  SampleSchedule schedule(SampleSchedule::kFirstOfOthers);
  while (!schedule.IsDue(domain::Collective::kScan)) {
  }
  schedule.PutOff({NAN, 0});
  EXPECT_GT(schedule.open_at(), schedule.calls());
  schedule.PutOff({1e300, 0});
  EXPECT_GT(schedule.open_at(), schedule.calls());
  // One rank that was late for hours once is asked again before that.
  EXPECT_LE(schedule.open_at(), schedule.calls() + 100'001);
  schedule.Sampled(domain::Collective::kScan, {0, -5});
  EXPECT_GT(schedule.open_at(), schedule.calls());
}

TEST(SampleAccountTest, SavesForTheDearest) {
  SampleAccount account;
  EXPECT_DOUBLE_EQ(account.Lacks(1, 0.5, 0.25, 0), -0.5);
  account.Spend(0.25);
  account.Spend(0.125);
  EXPECT_DOUBLE_EQ(account.spent_s(), 0.375);
  EXPECT_DOUBLE_EQ(account.dearest_s(), 0.25);
  EXPECT_DOUBLE_EQ(account.Lacks(1, 0.5, 0.125, 0), 0.25);
  EXPECT_DOUBLE_EQ(account.Lacks(1, 0.5, 0.125, 3), 1);
  EXPECT_DOUBLE_EQ(account.Lacks(1, INFINITY, 0.125, 0), -1);
}

TEST(SampleAccountTest, ACostThatDoesNotRepeatIsNotSavedAgain) {
  SampleAccount once;
  SampleAccount again;
  once.SpendOnce(0.01);
  again.Spend(0.01);
  EXPECT_EQ(once.spent_s(), again.spent_s());
  EXPECT_EQ(once.dearest_s(), 0);
  EXPECT_LT(once.Lacks(1, SampleAccount::kShare, 0, 0),
            again.Lacks(1, SampleAccount::kShare, 0, 0));
}

}  // namespace
}  // namespace cox::agent
