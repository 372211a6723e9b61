#include "learn/correct/contradiction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cox::learn {
namespace {

PlacedTime TimeOf(double block_bytes, double time_s, double observations, double ranks = 8) {
  PlacedTime place;
  place.point = {.nodes = 2, .ppn = 4, .ranks = ranks, .block_bytes = block_bytes};
  place.log_time = std::log(time_s);
  place.observations = observations;
  place.weight = 1000 / observations;  // what is claimed is no evidence
  return place;
}

// 1 B to 2 MiB, as a message takes.
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
  // A protocol that begins ten times as slow, and a larger job beside it.
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

}  // namespace
}  // namespace cox::learn
