#include "agent/stream/window.h"

#include <gtest/gtest.h>

#include "agent/collectives.h"

namespace cox::agent {
namespace {

constexpr int32_t kAllreduce = static_cast<int32_t>(Collective::kAllreduce);
constexpr int32_t kBcast = static_cast<int32_t>(Collective::kBcast);

CoxStreamRow Row(int32_t collective, int64_t count, uint64_t each_ns) {
  const double each = static_cast<double>(each_ns);
  return {collective,
          4,
          1024,
          8,
          count,
          each_ns * static_cast<uint64_t>(count),
          each * each * static_cast<double>(count)};
}

TEST(WindowTest, TheRankThatWaitsLeastStandsForAnAllreduce) {
  Window window;
  for (const uint64_t each_ns : {9000, 2000, 5000}) {
    const CoxStreamRow row = Row(kAllreduce, 10, each_ns);
    window.Add(&row, 1);
  }
  const Window::Contents contents = window.Take();
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_EQ(contents.entries[0].count, 30);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 2e-6);
  EXPECT_EQ(contents.entries[0].key.ranks, 4);
  EXPECT_EQ(contents.entries[0].key.block_bytes, 1024);
}

TEST(WindowTest, TheLastToLeaveStandsForABcast) {
  Window window;
  for (const uint64_t each_ns : {9000, 2000, 5000}) {
    const CoxStreamRow row = Row(kBcast, 10, each_ns);
    window.Add(&row, 1);
  }
  const Window::Contents contents = window.Take();
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 9e-6);
}

TEST(WindowTest, StandardDeviationIsThatOfTheRankThatStands) {
  Window window;
  CoxStreamRow row = {kAllreduce, 4, 8, 8, 3, 1000 + 2000 + 3000, 1e6 + 4e6 + 9e6};
  window.Add(&row, 1);
  const Window::Contents contents = window.Take();
  ASSERT_EQ(contents.entries.size(), 1);
  EXPECT_DOUBLE_EQ(contents.entries[0].time_s, 2e-6);
  EXPECT_NEAR(contents.entries[0].stddev_s, 1e-6, 1e-15);
}

TEST(WindowTest, ASingleTimingHasNoDeviation) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 1, 700);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take().entries.at(0).stddev_s, 0);
}

TEST(WindowTest, KeysThatDifferInAnythingStayApart) {
  Window window;
  CoxStreamRow rows[4] = {Row(kAllreduce, 1, 100), Row(kAllreduce, 1, 100), Row(kAllreduce, 1, 100),
                          Row(kBcast, 1, 100)};
  rows[1].ranks = 5;
  rows[2].type_bytes = 4;
  window.Add(rows, 4);
  EXPECT_EQ(window.Take().entries.size(), 4);
}

TEST(WindowTest, TakeEmptiesIt) {
  Window window;
  const CoxStreamRow row = Row(kAllreduce, 1, 100);
  window.Add(&row, 1);
  EXPECT_EQ(window.Take().entries.size(), 1);
  const Window::Contents again = window.Take();
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
  const Window::Contents contents = window.Take();
  EXPECT_EQ(contents.entries.size(), Window::kMaxKeys);
  EXPECT_EQ(contents.dropped_count, 30);
  EXPECT_EQ(window.Take().dropped_count, 0);
}

// The rows come from memory that other processes write.
TEST(WindowTest, RowsThatCannotBeAreIgnored) {
  Window window;
  CoxStreamRow rows[4] = {Row(-1, 1, 100), Row(kCollectiveCount, 1, 100), Row(kAllreduce, 0, 100),
                          Row(kAllreduce, 1, 0)};
  window.Add(rows, 4);
  EXPECT_TRUE(window.Take().entries.empty());
}

}  // namespace
}  // namespace cox::agent
