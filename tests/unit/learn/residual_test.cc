#include "learn/residual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cox::learn {
namespace {

constexpr Reach kReach = {1, 1, 2};

std::vector<ResidualSample> Plateau(double residual) {
  std::vector<ResidualSample> samples;
  for (double lg_ranks : {2, 3, 4}) {
    for (double lg_bytes : {4, 6, 8}) samples.push_back({{lg_ranks, 1, lg_bytes}, residual, 0, 1});
  }
  return samples;
}

TEST(ResidualSurfaceTest, NoSamplesNoOpinion) {
  const ResidualSurface surface({}, kReach);
  const ResidualSurface::Value value = surface.At({3, 1, 6});
  EXPECT_EQ(value.mean, 0);
  EXPECT_EQ(value.support, 0);
  EXPECT_GT(value.variance, 0.05);
}

TEST(ResidualSurfaceTest, ReproducesSamplesAndForgetsThemFarAway) {
  const ResidualSurface surface(Plateau(0.5), kReach);
  const ResidualSurface::Value near = surface.At({3, 1, 6});
  const ResidualSurface::Value between = surface.At({3.4, 1, 6.7});
  const ResidualSurface::Value far = surface.At({30, 25, 40});
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
  EXPECT_GT(ResidualSurface(samples, kReach).At({3, 1, 6}).mean, 0.8);
}

TEST(ResidualSurfaceTest, TheLikelihoodPrefersTheReachThatFits) {
  // Alternating signs at neighbouring sizes contradict a long reach; a smooth slope asks for one.
  std::vector<ResidualSample> rough;
  std::vector<ResidualSample> smooth;
  for (int i = 0; i < 20; ++i) {
    rough.push_back({{4, 2, static_cast<double>(i)}, i % 2 == 0 ? 0.4 : -0.4, 0, 1});
    smooth.push_back({{4, 2, static_cast<double>(i)}, 0.04 * (i - 10), 0, 1});
  }
  constexpr Reach kShort = {0.7, 0.7, 0.7};
  constexpr Reach kLong = {4, 4, 8};
  EXPECT_GT(ResidualSurface(rough, kShort).log_likelihood(),
            ResidualSurface(rough, kLong).log_likelihood());
  EXPECT_GT(ResidualSurface(smooth, kLong).log_likelihood(),
            ResidualSurface(smooth, kShort).log_likelihood());
}

TEST(ResidualSurfaceTest, ZeroBytesHaveAPlace) {
  const Coordinates at = CoordinatesOf({1, 1, 1, 0});
  EXPECT_EQ(at, (Coordinates{0, 0, 0}));
}

}  // namespace
}  // namespace cox::learn
