#include "store/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/store.h"

namespace cox::store {
namespace {

struct Timing {
  double time_s;
  int64_t count;
};

// The definition, in two passes.
Cell Reference(const std::vector<Timing>& timings) {
  Cell cell;
  for (const Timing& timing : timings) {
    const auto weight = static_cast<double>(timing.count);
    cell.weight += weight;
    cell.mean_log_time += weight * std::log(timing.time_s);
    ++cell.observation_count;
  }
  cell.mean_log_time /= cell.weight;
  for (const Timing& timing : timings) {
    const double difference = std::log(timing.time_s) - cell.mean_log_time;
    cell.m2_log_time += static_cast<double>(timing.count) * difference * difference;
  }
  return cell;
}

Cell SumOf(const std::vector<Timing>& timings) {
  Cell sum;
  for (const Timing& timing : timings) Add(CellOf(timing.time_s, timing.count), sum);
  return sum;
}

void ExpectNear(const Cell& cell, const Cell& expected) {
  EXPECT_EQ(cell.observation_count, expected.observation_count);
  EXPECT_DOUBLE_EQ(cell.weight, expected.weight);
  EXPECT_NEAR(cell.mean_log_time, expected.mean_log_time, 1e-12);
  EXPECT_NEAR(cell.m2_log_time, expected.m2_log_time, 1e-10);
}

const std::vector<Timing> kTimings = {{1e-6, 10}, {2e-6, 1}, {1e-3, 999}, {0.5, 3}, {1e-6, 7}};

TEST(CellTest, SumsAsDefined) { ExpectNear(SumOf(kTimings), Reference(kTimings)); }

TEST(CellTest, SumsOfSumsAreTheSame) {
  const std::vector<Timing> first(kTimings.begin(), kTimings.begin() + 2);
  const std::vector<Timing> rest(kTimings.begin() + 2, kTimings.end());
  Cell sum = SumOf(first);
  Add(SumOf(rest), sum);
  ExpectNear(sum, Reference(kTimings));
}

TEST(CellTest, RemovingUndoesAdding) {
  const std::vector<Timing> first(kTimings.begin(), kTimings.begin() + 2);
  const std::vector<Timing> rest(kTimings.begin() + 2, kTimings.end());
  Cell sum = SumOf(kTimings);
  Remove(SumOf(rest), sum);
  ExpectNear(sum, Reference(first));
  Remove(SumOf(first), sum);
  EXPECT_EQ(sum.observation_count, 0);
  EXPECT_EQ(sum.weight, 0);
  EXPECT_EQ(sum.mean_log_time, 0);
  EXPECT_EQ(sum.m2_log_time, 0);
}

TEST(CellTest, NoReportOutweighsTheOthers) {
  EXPECT_EQ(CellOf(1, std::numeric_limits<int64_t>::max()).weight, Store::kMaxCellWeight);
  EXPECT_EQ(CellOf(1, 999).weight, 999);
}

TEST(CellTest, ExtremeTimesStayFinite) {
  const Cell cell = SumOf({{std::numeric_limits<double>::denorm_min(), 1000},
                           {std::numeric_limits<double>::max(), 1000}});
  EXPECT_TRUE(std::isfinite(cell.mean_log_time));
  EXPECT_TRUE(std::isfinite(cell.m2_log_time));
  EXPECT_GT(cell.m2_log_time, 0);
}

TEST(CellTest, NothingAddedChangesNothing) {
  Cell sum = SumOf(kTimings);
  Add(Cell{}, sum);
  ExpectNear(sum, Reference(kTimings));
}

TEST(CellTest, SquaresNeverGoBelowZero) {
  Cell sum;
  for (int i = 0; i < 1000; ++i) Add(CellOf(3e-6, 1000), sum);
  for (int i = 0; i < 999; ++i) {
    Remove(CellOf(3e-6, 1000), sum);
    ASSERT_GE(sum.m2_log_time, 0);
  }
  EXPECT_NEAR(sum.mean_log_time, std::log(3e-6), 1e-9);
}

}  // namespace
}  // namespace cox::store
