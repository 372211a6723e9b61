#include "store/cell.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  int64_t reporter = 0;
};

Cell SumOf(const std::vector<Timing>& timings) {
  Cell sum;
  for (const Timing& timing : timings) AddTiming(timing.time_s, timing.count, timing.reporter, sum);
  return sum;
}

const std::vector<Timing> kTimings = {{1e-6, 10, 7},    {2e-6, 1, 7}, {1e-3, 999},
                                      {1.001e-6, 1, 9}, {0.5, 3},     {1e-6, 7, 16'381}};

TEST(CellTest, BinsHoldWhereTheTimesLie) {
  const Cell cell = SumOf({{1e-3, 1}, {1.004e-3, 1}, {1e-3, 5}});
  EXPECT_EQ(cell.observation_count, 3);
  EXPECT_EQ(cell.weight, 7);
  ASSERT_EQ(cell.bins.size(), 1u);
  const CellBin& bin = cell.bins.front();
  EXPECT_EQ(bin.count, 3);
  const double mean = static_cast<double>(bin.index) / kBinsPerE +
                      static_cast<double>(bin.offset_sum) / kOffsetsPerE / 3;
  EXPECT_NEAR(mean, (2 * std::log(1e-3) + std::log(1.004e-3)) / 3, 1e-6);
}

TEST(CellTest, BinsAreInOrder) {
  const Cell cell = SumOf(kTimings);
  ASSERT_EQ(cell.bins.size(), 4u);
  EXPECT_TRUE(std::is_sorted(cell.bins.begin(), cell.bins.end(),
                             [](const CellBin& a, const CellBin& b) { return a.index < b.index; }));
}

TEST(CellTest, TheOrderOfSummingDoesNotMatterInTheLeast) {
  std::vector<Timing> reversed(kTimings.rbegin(), kTimings.rend());
  EXPECT_EQ(SumOf(reversed), SumOf(kTimings));
  Cell sum = SumOf({kTimings.begin() + 3, kTimings.end()});
  Add(SumOf({kTimings.begin(), kTimings.begin() + 3}), sum);
  EXPECT_EQ(sum, SumOf(kTimings));
}

TEST(CellTest, RemovingUndoesAddingBitByBit) {
  const std::vector<Timing> first(kTimings.begin(), kTimings.begin() + 2);
  const std::vector<Timing> rest(kTimings.begin() + 2, kTimings.end());
  Cell sum = SumOf(kTimings);
  Remove(SumOf(rest), sum);
  EXPECT_EQ(sum, SumOf(first));
  Remove(SumOf(first), sum);
  EXPECT_EQ(sum, Cell{});
}

// Times do not matter to it.
int64_t OnlyReporterOf(const std::vector<int64_t>& reporters) {
  Cell cell;
  for (const int64_t reporter : reporters) AddTiming(1e-6, 1, reporter, cell);
  return OnlyReporter(cell);
}

TEST(CellTest, OneReporterIsKnownAsTheOnlyOne) {
  EXPECT_EQ(OnlyReporterOf({5}), 5);
  EXPECT_EQ(OnlyReporterOf(std::vector<int64_t>(100'000, 16'381)), 16'381);
  EXPECT_EQ(OnlyReporterOf({}), 0);
  EXPECT_EQ(OnlyReporterOf({0, 0, 0}), 0) << "an operator alone";
  EXPECT_EQ(OnlyReporterOf({5, 5, 0}), 0) << "an operator, too";
  std::vector<int64_t> all(100'000, 16'381);
  all.push_back(16'380);
  EXPECT_EQ(OnlyReporterOf(all), 0);
  // Their mean is a number of neither.
  EXPECT_EQ(OnlyReporterOf({4, 6}), 0);
}

TEST(CellTest, TheOnlyReporterIsKnownAgainWhenTheOthersAreRemoved) {
  Cell cell = SumOf({{1e-6, 1, 5}, {2e-6, 1, 5}});
  const Cell other = SumOf({{1e-6, 1, 6}, {3e-6, 2, 0}});
  Add(other, cell);
  EXPECT_EQ(OnlyReporter(cell), 0);
  Remove(other, cell);
  EXPECT_EQ(OnlyReporter(cell), 5);
  SetReporter(9, cell);
  EXPECT_EQ(OnlyReporter(cell), 9);
}

// A database that older programs have written has sums of some of the observations only.
TEST(CellTest, SumsThatDoNotFitNameNobody) {
  Cell cell = SumOf({{1e-6, 1, kNotTold}, {2e-6, 1, 5}});
  EXPECT_EQ(OnlyReporter(cell), 0);
  Remove(SumOf({{1e-6, 1, 5}, {2e-6, 1, 5}}), cell);
  EXPECT_EQ(OnlyReporter(cell), 0);
  EXPECT_EQ(OnlyReporter({.observation_count = 2,
                          .reporter_sum = std::numeric_limits<int64_t>::max(),
                          .reporter_square_sum = std::numeric_limits<int64_t>::min()}),
            0);
}

TEST(CellTest, NoReportOutweighsTheOthers) {
  EXPECT_EQ(SumOf({{1, std::numeric_limits<int64_t>::max()}}).weight, Store::kMaxCellWeight);
  EXPECT_EQ(SumOf({{1, 999}}).weight, 999);
}

TEST(CellTest, ExtremeTimesAreBounded) {
  Cell cell;
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    for (int step = 0; step < 64; ++step) {
      AddTiming(std::ldexp(1 + step / 64.0, exponent), 1, kNotTold, cell);
    }
  }
  EXPECT_LE(cell.bins.size(), 1537u);
  EXPECT_EQ(cell.observation_count, 2098 * 64);
}

TEST(CellTest, BinsAreReadBackAsTheyWereWritten) {
  Cell cell = SumOf(kTimings);
  for (int i = 0; i < 1000; ++i) AddTiming(1e-12 * std::exp(0.04 * i), i, kNotTold, cell);
  const auto read = DecodeBins(EncodeBins(cell.bins));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, cell.bins);
  EXPECT_TRUE(DecodeBins("")->empty());
}

TEST(CellTest, DamagedBinsAreRefused) {
  const std::string bytes = EncodeBins(SumOf(kTimings).bins);
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto read = DecodeBins(absl::string_view(bytes).substr(0, size));
    // Between two bins it is shorter, elsewhere it is damaged.
    if (read.ok()) {
      EXPECT_LT(read->size(), 4u);
    }
  }
  EXPECT_FALSE(DecodeBins("\xff").ok());
  EXPECT_FALSE(DecodeBins(std::string(4, '\0')).ok());
  EXPECT_FALSE(DecodeBins(bytes + std::string(4, '\0')).ok());
}

}  // namespace
}  // namespace cox::store
