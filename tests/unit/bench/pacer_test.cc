#include "bench/pacer.h"

#include <gtest/gtest.h>

#include <vector>

namespace cox::bench {
namespace {

// Samples so far apart that the median never settles.
std::vector<double> Noisy(int count) {
  std::vector<double> times_s;
  for (int i = 0; i < count; ++i) times_s.push_back(i % 2 == 0 ? 1e-3 : 2e-3);
  return times_s;
}

TEST(PacerTest, EveryCellGetsTheLeastSamplesEvenWithoutTime) {
  Pacer pacer(0, 1, 2);
  pacer.StartCell(100);
  EXPECT_EQ(pacer.NextBatch(100, {}), Pacer::kLeast);
  EXPECT_EQ(pacer.NextBatch(200, {1}), Pacer::kLeast - 1);
  EXPECT_EQ(pacer.NextBatch(300, {1, 2, 3}), 0);
}

TEST(PacerTest, StopsWhenSettled) {
  Pacer pacer(0, 100, 1);
  pacer.StartCell(0);
  EXPECT_GT(pacer.NextBatch(0.01, std::vector<double>(9, 1e-3)), 0);
  EXPECT_EQ(pacer.NextBatch(0.01, std::vector<double>(10, 1e-3)), 0);
}

TEST(PacerTest, StopsAtTheCellsShareOfTheBudget) {
  Pacer pacer(0, 10, 5);
  pacer.StartCell(0);
  EXPECT_GT(pacer.NextBatch(1.9, Noisy(50)), 0);
  EXPECT_EQ(pacer.NextBatch(2.0, Noisy(50)), 0);
}

TEST(PacerTest, StopsAtTheMostSamples) {
  Pacer pacer(0, 1e6, 1);
  pacer.StartCell(0);
  EXPECT_EQ(pacer.NextBatch(1, Noisy(Pacer::kMost)), 0);
  EXPECT_EQ(pacer.NextBatch(1e-3, Noisy(Pacer::kMost - 1)), 1);
}

TEST(PacerTest, TimeLeftOverGoesToTheOthers) {
  Pacer pacer(0, 10, 2);
  pacer.StartCell(0);
  pacer.FinishCell(Summarise(std::vector<double>(10, 1.0)));
  pacer.StartCell(1);
  EXPECT_GT(pacer.NextBatch(9.9, Noisy(50)), 0);
  EXPECT_EQ(pacer.NextBatch(10, Noisy(50)), 0);
}

TEST(PacerTest, SlowSamplesAreTakenOneByOne) {
  Pacer pacer(0, 100, 1);
  pacer.StartCell(0);
  EXPECT_EQ(pacer.NextBatch(3, Noisy(3)), 1);
}

TEST(PacerTest, CountsWhatDidNotSettle) {
  Pacer pacer(0, 10, 2);
  pacer.FinishCell(Summarise(Noisy(50)));
  pacer.FinishCell(Summarise(std::vector<double>(10, 1.0)));
  EXPECT_EQ(pacer.finished(), 2);
  EXPECT_EQ(pacer.unsettled(), 1);
}

TEST(PacerTest, EstimatesFromWhatCellsTookButNeverMoreThanTheBudget) {
  Pacer pacer(0, 100, 10);
  EXPECT_EQ(pacer.LeftSeconds(0), 100);
  pacer.FinishCell(Summary{});
  EXPECT_DOUBLE_EQ(pacer.LeftSeconds(1), 9);
  EXPECT_DOUBLE_EQ(pacer.LeftSeconds(50), 50);
  EXPECT_EQ(pacer.LeftSeconds(200), 0);
}

}  // namespace
}  // namespace cox::bench
