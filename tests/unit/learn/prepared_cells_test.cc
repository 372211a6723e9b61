#include "learn/prepared_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "domain/shape.h"
#include "synthetic.h"

namespace cox::learn {
namespace {

PlacedTime PlaceAt(double ranks, double bytes, double log_time, double weight = 1,
                   double structural_time_s = 0) {
  PlacedTime place;
  place.point = {ranks, 1, ranks, bytes};
  place.log_time = log_time;
  place.weight = weight;
  place.structural_time_s = structural_time_s;
  return place;
}

TEST(PrepareCellsTest, LeavesOutWhatCannotBeTrue) {
  const Cell good = MakeCell("alltoall", "pairwise", 2, 4, 64, 1e-5);
  std::vector<Cell> cells(8, good);
  cells[1].mean_log_time = std::nan("");
  cells[2].mean_log_time = -HUGE_VAL;
  cells[3].weight = 0;
  cells[4].weight = std::nan("");
  cells[5].ranks = 0;
  cells[6].block_bytes = -1;
  cells[7].variance_log_time = HUGE_VAL;
  const auto prepared = PrepareCells(cells, domain::Shape());
  ASSERT_EQ(prepared.size(), 1U);
  EXPECT_EQ(prepared[0].cell, &cells[0]);
  EXPECT_NE(prepared[0].strategy, nullptr);
}

TEST(PrepareCellsTest, NamesWhatReallyRan) {
  // 7 ranks: odd and not a power of two. 2 elements: fewer than ranks.
  Cell neighbor = MakeCell("allgather", "neighbor", 7, 1, 64, 1e-5);
  Cell doubling = MakeCell("allgather", "recursive_doubling", 7, 1, 64, 1e-5);
  Cell ring = MakeCell("allreduce", "ring", 7, 1, 8, 1e-5);
  Cell rabenseifner = MakeCell("allreduce", "rabenseifner", 7, 1, 8, 1e-5);
  Cell own = MakeCell("allreduce", "a_users_own", 7, 1, 8, 1e-5);
  Cell unknown_collective = MakeCell("neighbor_allgather", "ring", 7, 1, 8, 1e-5);
  const std::vector<Cell> cells = {neighbor, doubling, ring, rabenseifner, own, unknown_collective};
  const auto prepared = PrepareCells(cells, domain::Shape());
  ASSERT_EQ(prepared.size(), cells.size());
  EXPECT_EQ(prepared[0].algorithm, "ring");
  EXPECT_EQ(prepared[1].algorithm, "bruck");
  EXPECT_EQ(prepared[2].algorithm, "recursive_doubling");
  EXPECT_EQ(prepared[3].algorithm, "basic_linear");
  EXPECT_EQ(prepared[4].algorithm, "a_users_own");
  EXPECT_EQ(prepared[4].strategy, nullptr);
  EXPECT_EQ(prepared[5].algorithm, "ring");
  EXPECT_FALSE(prepared[5].scenario.has_value());
}

TEST(PrepareCellsTest, TheDefaultKeepsItsNameAndGetsAStructure) {
  // The default is recursive doubling, which for 7 ranks runs bruck; and for 24 ranks a scatter
  // and allgather, of which the catalogue has the structure for powers of two only.
  const std::vector<Cell> cells = {MakeCell("allgather", "default", 7, 1, 64, 1e-5),
                                   MakeCell("bcast", "default", 24, 1, 1 << 20, 1e-5)};
  const auto prepared = PrepareCells(cells, domain::Shape());
  ASSERT_EQ(prepared.size(), 2U);
  EXPECT_EQ(prepared[0].algorithm, "default");
  ASSERT_NE(prepared[0].strategy, nullptr);
  EXPECT_EQ(strategy::FormatStrategy(*prepared[0].strategy), "allgather/bruck");
  EXPECT_EQ(prepared[1].algorithm, "default");
  EXPECT_EQ(prepared[1].strategy, nullptr);
}

TEST(MergePlacesTest, JoinsTheSamePlaceByWeight) {
  const auto merged = MergePlaces({PlaceAt(8, 64, 1.0, 3), PlaceAt(8, 64, 2.0, 1)}, 10);
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_DOUBLE_EQ(merged[0].log_time, 1.25);
  EXPECT_DOUBLE_EQ(merged[0].weight, 4);
  EXPECT_GT(merged[0].variance, 0);
}

TEST(MergePlacesTest, AveragesOutWhatIsEachPlacesOwnAndNotWhatTheyShare) {
  PlacedTime job = PlaceAt(8, 64, 1.0);
  job.variance = 0.04;
  job.common_variance = 0.09;
  const auto jobs = MergePlaces({job, job, job, job}, 10);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_DOUBLE_EQ(jobs[0].variance, 0.01);
  EXPECT_DOUBLE_EQ(jobs[0].common_variance, 0.09);
  // Half of the time is then a benchmark's.
  const auto mixed = MergePlaces({job, PlaceAt(8, 64, 1.0)}, 10);
  ASSERT_EQ(mixed.size(), 1U);
  EXPECT_DOUBLE_EQ(mixed[0].common_variance, 0.09 / 4);
}

TEST(MergePlacesTest, KeepsApartWhileThereIsRoom) {
  EXPECT_EQ(MergePlaces({PlaceAt(8, 64, 1), PlaceAt(8, 65, 1), PlaceAt(9, 64, 1)}, 3).size(), 3U);
}

TEST(MergePlacesTest, StaysBounded) {
  std::vector<PlacedTime> places;
  for (int ranks = 2; ranks < 200; ++ranks) {
    for (int bytes = 1; bytes < 2000; bytes += 37) places.push_back(PlaceAt(ranks, bytes, 0));
  }
  const auto merged = MergePlaces(places, 160);
  EXPECT_LE(merged.size(), 160U);
  EXPECT_GE(merged.size(), 20U);
  double weight = 0;
  for (const PlacedTime& place : merged) weight += place.weight;
  EXPECT_DOUBLE_EQ(weight, static_cast<double>(places.size()));
  EXPECT_TRUE(MergePlaces({}, 160).empty());
}

// On a grid of powers of two all neighbours are equally far apart.
TEST(MergePlacesTest, MergesNoMoreThanItMust) {
  std::vector<PlacedTime> places;
  for (int ranks = 2; ranks <= 1 << 10; ranks *= 2) {
    for (int bytes = 1; bytes <= 1 << 20; bytes *= 2) places.push_back(PlaceAt(ranks, bytes, 0));
  }
  ASSERT_EQ(places.size(), 210U);
  for (const size_t limit : {1U, 2U, 50U, 160U, 209U, 210U}) {
    const auto merged = MergePlaces(places, limit);
    EXPECT_EQ(merged.size(), limit);
    for (const PlacedTime& place : merged) EXPECT_LE(place.weight, 210.0 / limit * 4) << limit;
  }
  std::reverse(places.begin(), places.end());
  const auto merged = MergePlaces(places, 160);
  std::set<double> ranks;
  for (const PlacedTime& place : merged) ranks.insert(place.point.ranks);
  EXPECT_EQ(ranks.size(), 10U) << "neighbouring sizes are merged first";
}

TEST(MergePlacesTest, MovesNeighboursByTheirStructuralPrices) {
  // Twice the bytes, twice the price, twice the time: one and the same factor on the price.
  const auto merged = MergePlaces(
      {PlaceAt(8, 1000, std::log(3e-3), 2, 1e-3), PlaceAt(8, 2000, std::log(6e-3), 1, 2e-3)}, 1);
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].point.block_bytes, 1000);
  EXPECT_NEAR(std::exp(merged[0].log_time), 3e-3, 1e-9);
  EXPECT_NEAR(merged[0].variance, 0, 1e-12);
}

}  // namespace
}  // namespace cox::learn
