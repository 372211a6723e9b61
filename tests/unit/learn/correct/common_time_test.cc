#include "learn/correct/borrow/common_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "learn/correct/corrections.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

constexpr char kVendor[] = "somebodys-mpi-1.0";  // a library without known structures

PlacedTime Timed(double nodes, double bytes, double log_time) {
  return {.point = {nodes, 1, nodes, bytes}, .log_time = log_time, .weight = 1};
}

Cell VendorCell(const std::string& algorithm, int64_t nodes, int64_t bytes, double time_s) {
  Cell cell = MakeCell("allgather", algorithm, nodes, 1, bytes, time_s);
  cell.library = kVendor;
  return cell;
}

// The law of this machine's allgathers: 4 us a step and a nanosecond per byte.
double LawAt(int64_t nodes, int64_t bytes) {
  return 4e-6 * std::log2(static_cast<double>(nodes)) +
         1e-9 * static_cast<double>(nodes) * static_cast<double>(bytes);
}

Estimate CommonTimeAt(const Corrections& corrections, const std::string& algorithm, int64_t nodes,
                      int64_t bytes, const std::string& collective = "allgather") {
  const auto count = static_cast<double>(nodes);
  const Point point{count, 1, count, static_cast<double>(bytes)};
  return UnstructuredAt(corrections, kVendor, collective, algorithm, point);
}

double OffBy(const Estimate& estimate, double time_s) {
  return std::abs(estimate.log_time - std::log(time_s));
}

TEST(CommonTimesTest, AlgorithmsOffByAFactorHaveTheirCurveInCommon) {
  // The second algorithm was timed elsewhere only, but for one place.
  const std::vector<PlacedTime> first = {Timed(2, 8, 1), Timed(4, 8, 2), Timed(8, 8, 3)};
  const std::vector<PlacedTime> second = {Timed(8, 8, 4), Timed(16, 8, 5), Timed(32, 8, 6)};
  const std::vector<PlacedTime> common = CommonTimes({first, second});
  ASSERT_EQ(common.size(), 5);
  for (size_t i = 1; i < common.size(); ++i) {
    EXPECT_NEAR(common[i].log_time - common[i - 1].log_time, 1, 0.15) << i;
  }
  // Two timings tell more than one.
  EXPECT_LT(common[2].variance, 0.6 * common[0].variance);
}

TEST(CommonTimesTest, NothingTimedHasNothingInCommon) { EXPECT_TRUE(CommonTimes({}).empty()); }

TEST(CommonTimeTest, AFewTimingsGrowAsTheOtherAlgorithmsDo) {
  std::vector<Cell> cells;
  for (const int64_t nodes : {2, 8, 32}) {
    for (const int64_t bytes : {8, 1024, 65536, 1 << 20}) {
      cells.push_back(VendorCell("often", nodes, bytes, LawAt(nodes, bytes)));
      cells.push_back(VendorCell("usual", nodes, bytes, 1.3 * LawAt(nodes, bytes)));
    }
  }
  cells.push_back(VendorCell("once", 32, 1 << 20, 2 * LawAt(32, 1 << 20)));
  const auto corrections = BuildCorrections({}, cells);
  // A law through one timing would be a constant: 0.07 s for 8 bytes.
  const Estimate small = CommonTimeAt(*corrections, "once", 4, 8);
  ASSERT_TRUE(small.known);
  EXPECT_LT(OffBy(small, 2 * LawAt(4, 8)), 0.5);
  const Estimate there = CommonTimeAt(*corrections, "once", 32, 1 << 20);
  EXPECT_LT(OffBy(there, 2 * LawAt(32, 1 << 20)), 0.1);
  // It may grow otherwise; those that were timed at both ends do not.
  EXPECT_GT(small.own_sigma, 2 * there.own_sigma);
  EXPECT_GT(small.own_sigma, 2 * CommonTimeAt(*corrections, "often", 4, 8).own_sigma);
}

TEST(CommonTimeTest, OneCallIsExtrapolatedAsOtherCollectivesGrow) {
  std::vector<Cell> cells;
  for (const int64_t nodes : {2, 8, 32}) {
    for (const int64_t bytes : {8, 1024, 65536, 1 << 20}) {
      cells.push_back(VendorCell("often", nodes, bytes, LawAt(nodes, bytes)));
    }
  }
  for (const char* algorithm : {"default", "only"}) {
    cells.push_back(VendorCell(algorithm, 32, 1 << 20, 3 * LawAt(32, 1 << 20)));
    cells.back().collective = "alltoall";
  }
  const auto corrections = BuildCorrections({}, cells);
  for (const char* algorithm : {"default", "only"}) {
    const Estimate small = CommonTimeAt(*corrections, algorithm, 32, 8, "alltoall");
    ASSERT_TRUE(small.known) << algorithm;
    // Off by a factor of 1,500 before.
    EXPECT_LT(OffBy(small, 3 * LawAt(32, 8)), std::log(6.0)) << algorithm;
  }
}

TEST(CommonTimeTest, ItsOwnErrorMakesNoAlgorithmBetter) {
  std::vector<Cell> cells;
  for (const int64_t bytes : {8, 1024}) {
    cells.push_back(VendorCell("a", 4, bytes, LawAt(4, bytes)));
    cells.push_back(VendorCell("b", 4, bytes, 2 * LawAt(4, bytes)));
  }
  const auto corrections = BuildCorrections({}, cells);
  const Estimate far = CommonTimeAt(*corrections, "a", 64, 1024);
  EXPECT_GT(far.sigma, far.own_sigma + 0.1);
}

TEST(CommonTimeTest, ComparisonsLeaveOutHalfOfWhatIsUnsureOverIt) {
  std::vector<Cell> cells;
  for (const char* algorithm : {"a", "b"}) {
    cells.push_back(VendorCell(algorithm, 4, 8, LawAt(4, 8)));
    cells.push_back(VendorCell(algorithm, 16, 1024, LawAt(16, 1024)));
  }
  const auto corrections = BuildCorrections({}, cells);
  // Between the timings nothing else is shared.
  const Estimate alone =
      PredictAt(*corrections->Find(kVendor, "allgather", "a"), 1e-4, {8, 1, 8, 128});
  EXPECT_NEAR(alone.own_sigma * alone.own_sigma / (alone.sigma * alone.sigma), 0.5, 1e-6);
}

TEST(CommonTimeTest, NoAlgorithmBorrowsBesideOneOfKnownStructure) {
  const domain::Profile machine = HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10);
  std::vector<Cell> cells;
  for (const int64_t bytes : {16, 256, 4096}) {
    for (const char* algorithm : {"pairwise", "own"}) {
      cells.push_back(MakeCell("alltoall", algorithm, 8, 4, bytes, 1e-4));
    }
  }
  const auto corrections = BuildCorrections(machine, cells);
  EXPECT_EQ(corrections->Find("openmpi-4.1", "alltoall", "pairwise")->base(), Base::kStructure);
  EXPECT_EQ(corrections->Find("openmpi-4.1", "alltoall", "own")->base(), Base::kStructure);
  EXPECT_EQ(corrections->CommonTime("openmpi-4.1", "alltoall"), nullptr);
}

}  // namespace
}  // namespace cox::learn
