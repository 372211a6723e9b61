#include "learn/correct/trust/lone_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace cox::learn {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kEve = 7;
constexpr int64_t kSeveral = 0;

PlacedTime TimeOf(double block_bytes, double time_us, int64_t only_reporter, double ranks = 8) {
  PlacedTime place;
  place.point = {.nodes = 2, .ppn = 4, .ranks = ranks, .block_bytes = block_bytes};
  place.log_time = std::log(time_us * 1e-6);
  place.only_reporter = only_reporter;
  return place;
}

// The sizes that stay.
std::vector<double> Kept(std::vector<PlacedTime> places) {
  DropLoneTimesThatStickOut(&places);
  std::vector<double> sizes;
  for (const PlacedTime& place : places) sizes.push_back(place.point.block_bytes);
  return sizes;
}

// Others have timed 100 B in 20 us and 400 B in 30 us; what stays of a time of 200 B.
bool Stays(double time_us) {
  return Kept({TimeOf(400, 30, kSeveral), TimeOf(200, time_us, kEve), TimeOf(100, 20, kSeveral)})
             .size() == 3;
}

TEST(LoneTimesTest, StayBetweenTheirNeighbours) {
  EXPECT_TRUE(Stays(25));
  EXPECT_TRUE(Stays(14)) << "shorter than a smaller block's time by less than 1.5";
  EXPECT_TRUE(Stays(44)) << "longer than a larger block's time by less than 1.5";
  // Beside 20 us of half the size it may take 60 us, and beside 30 us of twice the size 45.
  EXPECT_TRUE(Stays(59)) << "one side alone contradicts";
}

TEST(LoneTimesTest, GoIfBothSidesContradict) {
  EXPECT_FALSE(Stays(61));
  EXPECT_FALSE(Stays(1e6));
  EXPECT_FALSE(Stays(9.9));
  EXPECT_FALSE(Stays(1e-3));
}

TEST(LoneTimesTest, OnlyThoseOfLoneReportersGo) {
  EXPECT_THAT(
      Kept({TimeOf(100, 20, kSeveral), TimeOf(200, 900, kSeveral), TimeOf(400, 30, kSeveral)}),
      ElementsAre(100, 200, 400));
}

TEST(LoneTimesTest, TheLoneDoNotBearEachOtherOut) {
  EXPECT_THAT(Kept({TimeOf(100, 20, kSeveral), TimeOf(150, 900, kEve), TimeOf(200, 900, kEve + 1),
                    TimeOf(250, 900, kEve), TimeOf(400, 30, kSeveral)}),
              ElementsAre(100, 400));
}

TEST(LoneTimesTest, WhereOthersHaveTimedOneSideOnlyNothingIsKnown) {
  EXPECT_THAT(Kept({TimeOf(100, 20, kSeveral), TimeOf(200, 900, kEve)}), ElementsAre(100, 200));
  EXPECT_THAT(Kept({TimeOf(200, 900, kEve), TimeOf(400, 30, kSeveral)}), ElementsAre(200, 400));
  EXPECT_THAT(Kept({TimeOf(10, 20, kSeveral), TimeOf(200, 900, kEve), TimeOf(400, 30, kSeveral)}),
              ElementsAre(10, 200, 400))
      << "20 times the size";
}

TEST(LoneTimesTest, OtherJobsAndKindsDoNotCount) {
  EXPECT_THAT(
      Kept({TimeOf(100, 20, kSeveral), TimeOf(200, 900, kEve), TimeOf(400, 30, kSeveral, 16)}),
      ElementsAre(100, 200, 400));
  std::vector<PlacedTime> places = {TimeOf(100, 20, kSeveral), TimeOf(200, 900, kEve),
                                    TimeOf(400, 30, kSeveral)};
  places[1].kind = domain::CellKind::kJob;
  EXPECT_THAT(Kept(places), ElementsAre(100, 200, 400));
}

}  // namespace
}  // namespace cox::learn
