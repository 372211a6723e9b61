#include "learn/correct/trust/contradicted_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace cox::learn {
namespace {

PlacedTime TimeOf(double block_bytes, double time_s, double observations, double ranks = 8) {
  PlacedTime place;
  place.point = {.nodes = 2, .ppn = 4, .ranks = ranks, .block_bytes = block_bytes};
  place.log_time = std::log(time_s);
  place.observations = observations;
  place.weight = 1000 / observations;  // claims are not evidence
  return place;
}

// 1 B to 2 MiB, with a message's times.
std::vector<PlacedTime> Honest(double observations, double ranks = 8) {
  std::vector<PlacedTime> places;
  for (int i = 0; i < 22; ++i) {
    const double bytes = std::exp2(i);
    places.push_back(TimeOf(bytes, 1e-5 + 1e-9 * bytes, observations, ranks));
  }
  return places;
}

TEST(ContradictionTest, HonestTimesStay) {
  std::vector<PlacedTime> places = Honest(1);
  // A protocol that is ten times slower from a size on, and a larger job.
  for (size_t i = 12; i < 22; ++i) places[i].log_time += std::log(10);
  for (PlacedTime place : Honest(3, 512)) {
    place.log_time += std::log(1e3);
    places.push_back(place);
  }
  DropContradictedPlaces(&places);
  EXPECT_EQ(places.size(), 44);
}

TEST(ContradictionTest, AsManyFalsePlacesBetweenTheTrueOnesGo) {
  for (const double factor : {1e6, 1e-6, 100.0, 0.01}) {
    std::vector<PlacedTime> places = Honest(42);
    for (int i = 0; i < 21; ++i) {
      const double bytes = 1.5 * std::exp2(i);
      places.push_back(TimeOf(bytes, factor * (1e-5 + 1e-9 * bytes), 18));
    }
    DropContradictedPlaces(&places);
    EXPECT_EQ(places.size(), 22) << factor;
    for (const PlacedTime& place : places) EXPECT_EQ(place.observations, 42);
  }
}

// Three jobs timed a few calls of a smaller size, in which their ranks waited for each other.
TEST(ContradictionTest, JobsDoNotContradictABenchmark) {
  std::vector<PlacedTime> places = {TimeOf(128, 50e-6, 3), TimeOf(1024, 1.3e-6, 1)};
  std::vector<PlacedTime> alike = places;
  DropContradictedPlaces(&alike);
  EXPECT_EQ(alike.size(), 1);
  places[0].kind = domain::CellKind::kJob;
  DropContradictedPlaces(&places);
  EXPECT_EQ(places.size(), 2);
}

TEST(ContradictionTest, OneWildTimeGoesAndOneAloneStays) {
  std::vector<PlacedTime> places = Honest(1);
  places[10].log_time += std::log(500);
  DropContradictedPlaces(&places);
  EXPECT_EQ(places.size(), 21);
  places = {TimeOf(8, 1, 1), TimeOf(1024, 1e-9, 1)};
  DropContradictedPlaces(&places);
  EXPECT_EQ(places.size(), 2) << "too far from each other to tell";
  places.clear();
  DropContradictedPlaces(&places);
  EXPECT_TRUE(places.empty());
}

// The definition: compares every pair.
std::vector<double> KeptOf(const std::vector<PlacedTime>& places) {
  std::vector<double> kept;
  for (const PlacedTime& place : places) {
    double votes = place.observations;
    for (const PlacedTime& other : places) {
      if (&other == &place || other.point.ranks != place.point.ranks) continue;
      const bool is_larger = other.point.block_bytes >= place.point.block_bytes;
      const PlacedTime& small = is_larger ? place : other;
      const PlacedTime& large = is_larger ? other : place;
      const double ratio =
          std::log(large.point.block_bytes + 1) - std::log(small.point.block_bytes + 1);
      if (ratio > std::log(8.0)) continue;
      const double growth = large.log_time - small.log_time;
      const bool agrees = growth >= -std::log(20.0) && growth <= ratio + std::log(20.0);
      votes += agrees ? other.observations : -other.observations;
    }
    if (votes >= 0) kept.push_back(place.log_time);
  }
  return kept;
}

TEST(ContradictionTest, DecidesAsEveryPairOfPlacesWould) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> size(0, 40);
  std::uniform_int_distribution<int> count(1, 9);
  std::normal_distribution<double> error(0, 2.5);
  int dropped = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<PlacedTime> places;
    const int places_count = size(random);
    for (int i = 0; i < places_count; ++i) {
      const double bytes = std::floor(std::exp2(0.3 * size(random)));  // some are equal
      places.push_back(TimeOf(bytes, (1e-5 + 1e-9 * bytes) * std::exp(error(random)), count(random),
                              i % 3 == 0 ? 8 : 16));
    }
    const std::vector<double> expected = KeptOf(places);
    DropContradictedPlaces(&places);
    std::vector<double> kept;
    for (const PlacedTime& place : places) kept.push_back(place.log_time);
    ASSERT_EQ(kept, expected) << trial;
    dropped += places_count - static_cast<int>(kept.size());
  }
  EXPECT_GT(dropped, 200);
}

int64_t VisitedCount(int sizes) {
  std::vector<PlacedTime> places;
  for (int i = 1; i <= sizes; ++i) places.push_back(TimeOf(i, 1e-5 + 1e-9 * i, 1));
  const int64_t visited = DropContradictedPlaces(&places);
  EXPECT_LE(static_cast<double>(visited), 16.0 * sizes * std::log2(2.0 * sizes));
  return visited;
}

TEST(ContradictionTest, TwiceAsManySizesCostLittleMoreThanTwice) {
  const int64_t half = VisitedCount(50'000);
  EXPECT_LE(static_cast<double>(VisitedCount(100'000)), 2.5 * static_cast<double>(half));
}

}  // namespace
}  // namespace cox::learn
