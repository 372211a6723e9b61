#include "learn/correct/residual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace cox::learn {
namespace {

constexpr Reach kReach = {1, 1, 2};

ResidualSurface SurfaceOf(const std::vector<ResidualSample>& samples,
                          Growths growths = Growths::kKnown) {
  std::vector<Coordinates> places;
  for (const ResidualSample& sample : samples) places.push_back(sample.at);
  return {samples, std::make_shared<const SamplePlaces>(places), kReach, growths};
}

ResidualSurface::Value ValueAt(const ResidualSurface& surface, const Coordinates& at) {
  SampleNearness nearness;
  surface.places().NearnessAt(at, kReach, &nearness);
  return surface.At(at, nearness);
}

std::vector<ResidualSample> Plateau(double residual) {
  std::vector<ResidualSample> samples;
  for (double lg_ranks : {2, 3, 4}) {
    for (double lg_bytes : {4, 6, 8}) samples.push_back({{lg_ranks, 1, lg_bytes}, residual, 0, 1});
  }
  return samples;
}

TEST(ResidualSurfaceTest, NoSamplesNoOpinion) {
  const ResidualSurface surface = SurfaceOf({});
  const ResidualSurface::Value value = ValueAt(surface, {3, 1, 6});
  EXPECT_EQ(value.mean, 0);
  EXPECT_EQ(value.support, 0);
  EXPECT_GT(value.variance, 0.05);
}

TEST(ResidualSurfaceTest, ReproducesSamplesAndForgetsThemFarAway) {
  const ResidualSurface surface = SurfaceOf(Plateau(0.5));
  const ResidualSurface::Value near = ValueAt(surface, {3, 1, 6});
  const ResidualSurface::Value between = ValueAt(surface, {3.4, 1, 6.7});
  const ResidualSurface::Value far = ValueAt(surface, {30, 25, 40});
  EXPECT_NEAR(near.mean, 0.5, 0.02);
  EXPECT_NEAR(between.mean, 0.5, 0.05);
  EXPECT_NEAR(far.mean, 0, 0.05);
  EXPECT_LT(near.variance, between.variance);
  EXPECT_LT(between.variance, far.variance);
  EXPECT_GT(near.support, 1);
  EXPECT_LT(far.support, 0.1);
}

TEST(ResidualSurfaceTest, UncertainSamplesCountLess) {
  std::vector<ResidualSample> samples = {{{3, 1, 6}, 1.0, 0, 1}, {{3, 1, 6}, 0.0, 4, 1}};
  EXPECT_GT(ValueAt(SurfaceOf(samples), {3, 1, 6}).mean, 0.8);
}

TEST(ResidualSurfaceTest, NineInTenSamplesLieInTheirInterval) {
  // Also with more noise than the prior: the variance must grow.
  std::mt19937 random(3);
  for (double noise : {0.02, 0.1}) {
    std::normal_distribution<double> normal(0, noise);
    std::vector<ResidualSample> learned;
    std::vector<ResidualSample> asked;
    for (int i = 0; i < 240; ++i) {
      const int row = i / 16;
      const Coordinates at = {2 + 0.05 * (i % 16), 1, 4 + 0.5 * row};
      const double smooth = 0.5 * std::sin(at[2] / 3);
      (i % 2 == 0 ? learned : asked).push_back({at, smooth + normal(random), 0, 1});
    }
    const ResidualSurface surface = SurfaceOf(learned);
    int inside = 0;
    for (const ResidualSample& sample : asked) {
      const ResidualSurface::Value value = ValueAt(surface, sample.at);
      const double distance = std::abs(sample.residual - value.mean);
      inside += distance < 1.645 * std::sqrt(value.variance) ? 1 : 0;
    }
    EXPECT_GE(inside, 96) << noise;
    EXPECT_LE(ValueAt(surface, {2.4, 1, 7}).variance, 6 * (noise * noise + 0.04 * 0.04)) << noise;
  }
}

TEST(ResidualSurfaceTest, BeyondTheSamplesEveryDoublingCosts) {
  const ResidualSurface surface = SurfaceOf(Plateau(0.5));
  double last = 0;
  for (double lg_ranks : {4, 6, 8, 12, 20}) {
    const ResidualSurface::Value value = ValueAt(surface, {lg_ranks, 1, 6});
    EXPECT_GT(value.variance, last);
    EXPECT_LT(value.shared_variance, value.variance);
    last = value.variance;
  }
  EXPECT_EQ(ValueAt(surface, {4, 1, 6}).shared_variance, 0);
  // Sixteen doublings away, the uncertainty is at least a factor of e.
  EXPECT_GT(last, 1);
}

TEST(ResidualSurfaceTest, AGrowthThatIsNotKnownCostsMoreTheLessTheSamplesSpan) {
  const std::vector<ResidualSample> one = {{{3, 1, 6}, 0.5, 0, 1}};
  const auto beyond = [](const ResidualSurface& surface, const Coordinates& at) {
    return ValueAt(surface, at).variance;
  };
  const ResidualSurface known = SurfaceOf(one);
  const ResidualSurface unknown = SurfaceOf(one, Growths::kNotKnown);
  const Coordinates far = {3, 1, 16};
  EXPECT_EQ(beyond(known, {3, 1, 6}), beyond(unknown, {3, 1, 6}));
  // Ten doublings: a random walk's variance is 10 steps', a slope's 100.
  EXPECT_NEAR(beyond(unknown, far) - beyond(known, far), 100 * 0.2 * 0.2, 0.01);
  // Samples over four doublings show the slope.
  const ResidualSurface spanning = SurfaceOf(Plateau(0.5), Growths::kNotKnown);
  const ResidualSurface same = SurfaceOf(Plateau(0.5));
  const double widened = beyond(spanning, {3, 1, 18}) - beyond(same, {3, 1, 18});
  EXPECT_GT(widened, 0);
  EXPECT_LT(widened, 0.1 * (beyond(unknown, far) - beyond(known, far)));
}

TEST(ResidualSurfaceTest, ZeroBytesHaveAPlace) {
  const Coordinates at = CoordinatesOf({1, 1, 1, 0});
  EXPECT_EQ(at, (Coordinates{0, 0, 0}));
}

}  // namespace
}  // namespace cox::learn
