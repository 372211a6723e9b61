#include "agent/stream/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

#include "agent/stream/estimator.h"
#include "agent/timing/collectives.h"
#include "agent/timing/table.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr int32_t kAllreduce = static_cast<int32_t>(domain::Collective::kAllreduce);
constexpr int32_t kBcast = static_cast<int32_t>(domain::Collective::kBcast);

// A rank that saw the same time in every call.
CoxStreamRow Row(int32_t collective, int64_t count, uint64_t each_ns) {
  static std::deque<std::vector<float>> timings;
  const double each = static_cast<double>(each_ns);
  const int64_t recent = std::min<int64_t>(count, Entry::kRecent);
  timings.emplace_back(static_cast<size_t>(recent), static_cast<float>(each_ns));
  return {collective,
          static_cast<int32_t>(Origin::kPassive),
          0,
          4,
          1024,
          8,
          count,
          each_ns * static_cast<uint64_t>(count),
          each * each * static_cast<double>(count),
          timings.back().data(),
          recent};
}

CoxStreamRow Row(int32_t collective, const std::vector<float>& timings_ns) {
  CoxStreamRow row = Row(collective, 0, 0);
  for (const float time_ns : timings_ns) {
    ++row.count;
    row.sum_ns += static_cast<uint64_t>(time_ns);
    row.sum_squares_ns2 += static_cast<double>(time_ns) * time_ns;
  }
  row.recent_ns = timings_ns.data();
  row.recent_count = row.count;
  return row;
}

// Four ranks, each in turn the last: three of four timings have a wait in them.
TEST(WindowTest, WaitingForTheLastIsNotTheCollectivesTime) {
  Window window;
  for (int rank = 0; rank < 4; ++rank) {
    std::vector<float> timings_ns;
    for (int call = 0; call < 32; ++call) {
      timings_ns.push_back(call % 4 == rank ? 2000 : 5000 + 1000 * static_cast<float>(call));
    }
    const CoxStreamRow row = Row(kAllreduce, timings_ns);
    window.Add(&row, 1);
  }
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_EQ(contents.entries[0].count, 128);
  EXPECT_GE(contents.entries[0].time_s, 2e-6);
  EXPECT_LT(contents.entries[0].time_s, 15e-6);
  EXPECT_STREQ(contents.entries[0].statistic, "min");
  EXPECT_EQ(contents.entries[0].key.ranks, 4);
  EXPECT_EQ(contents.entries[0].key.block_bytes, 1024);
}

TEST(WindowTest, ATooSmallSampleWaitsForMore) {
  Window window;
  const CoxStreamRow early = Row(kAllreduce, 10, 9000);
  window.Add(&early, 1);
  EXPECT_TRUE(window.Take(false, 1).entries.empty());
  const CoxStreamRow late = Row(kAllreduce, 10, 1000);
  window.Add(&late, 1);
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_EQ(contents.entries[0].count, 20);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 1e-6);
}

TEST(WindowTest, ATooSmallSampleWaitsNoLongerThanItMay) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 3, 9000);
  window.Add(&row, 1);
  for (int i = 1; i < Window::kMaxWindowsHeld; ++i) {
    EXPECT_TRUE(window.Take(false, 1).entries.empty()) << i;
  }
  EXPECT_EQ(window.Take(false, 1).entries.size(), 1);
  EXPECT_TRUE(window.Take(true, 1).entries.empty());
}

TEST(WindowTest, InLongWindowsTooItWaitsNoLongerThanItMay) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 3, 9000);
  window.Add(&row, 1);
  EXPECT_TRUE(window.Take(false, 0.75 * Window::kMaxHeld_s).entries.empty());
  EXPECT_EQ(window.Take(false, 0.75 * Window::kMaxHeld_s).entries.size(), 1);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take(false, 3600).entries.size(), 1);
}

TEST(WindowTest, TimingsThatKeepComingDoNotMakeItWaitLonger) {
  Window window;
  CoxStreamRow row = Row(kAllreduce, 1, 9000);
  row.ranks = 64;
  size_t reports = 0;
  for (int i = 0; i < 3 * Window::kMaxWindowsHeld; ++i) {
    window.Add(&row, 1);
    for (const WindowEntry& entry : window.Take(false, 1).entries) {
      EXPECT_EQ(entry.count, Window::kMaxWindowsHeld);
      ++reports;
    }
  }
  EXPECT_EQ(reports, 3);
}

TEST(WindowTest, AtTheEndASmallSampleMustDo) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 3, 9000);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take(true, 1).entries.size(), 1);
}

// More ranks than timings are kept: those who come last count as much as those who came first.
TEST(WindowTest, ALargeSampleIsThinnedEvenly) {
  Window window;
  for (int rank = 0; rank < 400; ++rank) {
    CoxStreamRow row = Row(kAllreduce, Entry::kRecent, rank < 240 ? 9000 : 1000);
    row.ranks = 3;  // the median: 40 % of the timings are short, it must not be
    window.Add(&row, 1);
  }
  EXPECT_DOUBLE_EQ(window.Take(false, 1).entries.at(0).time_s, 9e-6);
  for (int rank = 0; rank < 400; ++rank) {
    CoxStreamRow row = Row(kAllreduce, Entry::kRecent, rank < 160 ? 9000 : 1000);
    row.ranks = 3;
    window.Add(&row, 1);
  }
  EXPECT_DOUBLE_EQ(window.Take(false, 1).entries.at(0).time_s, 1e-6);
}

TEST(WindowTest, TheLastToLeaveStandsForABcast) {
  Window window;
  for (const uint64_t each_ns : {9000, 2000, 5000}) {
    const CoxStreamRow row = Row(kBcast, 10, each_ns);
    window.Add(&row, 1);
  }
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_EQ(contents.entries[0].count, 30);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 9e-6);
  EXPECT_STREQ(contents.entries[0].statistic, "mean");
}

TEST(WindowTest, StandardDeviationIsThatOfTheRankThatStands) {
  Window window;
  const std::vector<float> timings_ns = {1000, 2000, 3000};
  const CoxStreamRow rows[2] = {Row(kBcast, timings_ns), Row(kBcast, 3, 500)};
  window.Add(rows, 2);
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 2e-6);
  EXPECT_NEAR(contents.entries[0].stddev_s, 1e-6, 1e-15);
}

CoxStreamRow Sampled(int32_t collective, int64_t count, uint64_t each_ns) {
  CoxStreamRow row = Row(collective, count, each_ns);
  row.origin = static_cast<int32_t>(Origin::kSynchronised);
  return row;
}

TEST(WindowTest, SynchronisedSamplesComeBesidePassiveTimings) {
  Window window;
  const CoxStreamRow rows[3] = {Row(kBcast, 3, 9000), Sampled(kBcast, 1, 1000),
                                Sampled(kBcast, 1, 3000)};
  window.Add(rows, 3);
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 2);
  EXPECT_EQ(contents.entries[0].key.origin, Origin::kPassive);
  EXPECT_EQ(contents.entries[0].count, 3);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 9e-6);
  EXPECT_EQ(contents.entries[1].key.origin, Origin::kSynchronised);
  EXPECT_EQ(contents.entries[1].count, 2);
  EXPECT_DOUBLE_EQ(contents.entries[1].time_s, 2e-6);
  EXPECT_STREQ(contents.entries[1].statistic, "mean");
}

// A low quantile waits for more timings; the samples of the same call do not wait with it.
TEST(WindowTest, SynchronisedSamplesAreNotHeldBack) {
  Window window;
  const CoxStreamRow rows[2] = {Row(kAllreduce, 3, 9000), Sampled(kAllreduce, 1, 1000)};
  window.Add(rows, 2);
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_EQ(contents.entries[0].key.origin, Origin::kSynchronised);
  EXPECT_EQ(window.Take(true, 1).entries.size(), 1);
}

// A canary runs the default like a call that the table leaves to the library, but is kept apart.
TEST(WindowTest, CanariesComeBesideOtherTimingsOfTheDefault) {
  Window window;
  CoxStreamRow canary = Row(kBcast, 2, 4000);
  canary.origin = static_cast<int32_t>(Origin::kCanary);
  CoxStreamRow unknown = Row(kBcast, 1, 9000);
  unknown.origin = 77;  // as a broken process may write it
  const CoxStreamRow rows[3] = {Row(kBcast, 3, 9000), canary, unknown};
  window.Add(rows, 3);
  const Window::Contents contents = window.Take(false, 1);
  ASSERT_EQ(contents.entries.size(), 2);
  EXPECT_EQ(contents.entries[0].key.origin, Origin::kPassive);
  EXPECT_EQ(contents.entries[0].count, 4);
  EXPECT_EQ(contents.entries[1].key.origin, Origin::kCanary);
  EXPECT_EQ(contents.entries[1].count, 2);
  EXPECT_DOUBLE_EQ(contents.entries[1].time_s, 4e-6);
}

TEST(WindowTest, ASingleTimingHasNoDeviation) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 1, 700);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take(true, 1).entries.at(0).stddev_s, 0);
}

TEST(WindowTest, KeysThatDifferInAnythingStayApart) {
  Window window;
  CoxStreamRow rows[4] = {Row(kAllreduce, 1, 100), Row(kAllreduce, 1, 100), Row(kAllreduce, 1, 100),
                          Row(kBcast, 1, 100)};
  rows[1].ranks = 5;
  rows[2].type_bytes = 4;
  window.Add(rows, 4);
  EXPECT_EQ(window.Take(true, 1).entries.size(), 4);
}

TEST(WindowTest, TakeEmptiesIt) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 1, 100);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take(true, 1).entries.size(), 1);
  const Window::Contents again = window.Take(true, 1);
  EXPECT_TRUE(again.entries.empty());
  EXPECT_EQ(again.dropped_count, 0);
}

TEST(WindowTest, IsBoundedAndCountsWhatDidNotFit) {
  Window window;
  for (size_t i = 0; i < Window::kMaxKeys + 10; ++i) {
    CoxStreamRow row = Row(kAllreduce, 3, 100);
    row.block_bytes = static_cast<int64_t>(i);
    window.Add(&row, 1);
  }
  const Window::Contents contents = window.Take(true, 1);
  EXPECT_EQ(contents.entries.size(), Window::kMaxKeys);
  EXPECT_EQ(contents.dropped_count, 30);
  EXPECT_EQ(window.Take(true, 1).dropped_count, 0);
}

// The rows come from memory that other processes write.
TEST(WindowTest, TimingsThatCannotBeAreIgnored) {
  Window window;
  const std::vector<float> timings_ns = {-1, 0, NAN, INFINITY, 2000, 2000};
  CoxStreamRow row = Row(kAllreduce, 6, 2000);
  row.recent_ns = timings_ns.data();
  window.Add(&row, 1);
  EXPECT_DOUBLE_EQ(window.Take(true, 1).entries.at(0).time_s, 2e-6);
}

TEST(WindowTest, RowsThatCannotBeAreIgnored) {
  Window window;
  CoxStreamRow rows[4] = {Row(-1, 1, 100), Row(domain::kCollectiveCount, 1, 100),
                          Row(kAllreduce, 0, 100), Row(kAllreduce, 1, 0)};
  window.Add(rows, 4);
  EXPECT_TRUE(window.Take(true, 1).entries.empty());
}

}  // namespace
}  // namespace cox::agent
