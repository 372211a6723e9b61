#include "learn/correct/surface/sample_places.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "learn/correct/residual.h"
#include "learn/correct/surface/asked_point.h"

namespace cox::learn {
namespace {

const std::vector<Coordinates> kPlaces = {{2, 1, 4}, {3, 2, 6}, {5, 4, 20}};

TEST(SamplePlacesTest, NearnessIsTheCorrelationWithEachSample) {
  const SamplePlaces places(kPlaces);
  const Coordinates at = {3.5, 1.5, 7};
  for (const Reach& reach : kReaches) {
    SampleNearness nearness;
    places.NearnessAt(at, reach, &nearness);
    double largest = 0;
    for (size_t i = 0; i < kPlaces.size(); ++i) {
      const double correlation = ResidualSurface::Correlation(at, kPlaces[i], reach);
      EXPECT_NEAR(nearness.correlation[i], correlation, 1e-6);
      largest = std::max(largest, correlation);
    }
    EXPECT_NEAR(nearness.largest, largest, 1e-6);
    for (size_t i = kPlaces.size(); i < places.column_length(); ++i) {
      EXPECT_EQ(nearness.correlation[i], 0);
    }
  }
}

TEST(SamplePlacesTest, NoPlacesAreNearNothing) {
  SampleNearness nearness;
  SamplePlaces({}).NearnessAt({1, 1, 1}, kReaches[0], &nearness);
  EXPECT_EQ(nearness.largest, 0);
}

TEST(PlacesPoolTest, EqualPlacesAreShared) {
  PlacesPool pool;
  std::vector<Coordinates> others = kPlaces;
  others.back()[2] += 1;
  const std::shared_ptr<const SamplePlaces> first = pool.Share(kPlaces);
  EXPECT_EQ(pool.Share(kPlaces), first);
  EXPECT_NE(pool.Share(others), first);
}

// More sets than are remembered, each asked twice, in an order that forgets.
TEST(AskedPointTest, TheNearnessIsThatOfThePlacesAsked) {
  const Point point{4, 2, 8, 1023};
  AskedPoint asked(point);
  std::vector<std::unique_ptr<SamplePlaces>> sets;
  for (int i = 0; i < 9; ++i) {
    const std::vector<Coordinates> place = {{3.0 + i, 2, 10}};
    sets.push_back(std::make_unique<SamplePlaces>(place));
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < sets.size(); ++i) {
      const auto& nearness = asked.NearnessTo(*sets[i]);
      for (size_t r = 0; r < kReaches.size(); ++r) {
        const double expected = ResidualSurface::Correlation(
            asked.at(), {3.0 + static_cast<double>(i), 2, 10}, kReaches[r]);
        EXPECT_NEAR(nearness[r].correlation[0], expected, 1e-6) << i;
        EXPECT_EQ(&nearness, &asked.NearnessTo(*sets[i]));
      }
    }
  }
}

}  // namespace
}  // namespace cox::learn
