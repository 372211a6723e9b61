#include "learn/correct/borrow/common_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace cox::learn {
namespace {

// The factors of a collective's algorithms scatter by about a factor of e, as many rests by 0.3.
constexpr double kFactorVariance = 1;
constexpr double kRestVariance = 0.3 * 0.3;
// The prior of the rests' variance counts as this many timings.
constexpr double kPriorWeight = 8;
constexpr int kCommonTimeRounds = 12;

using Key = std::array<double, 4>;
Key KeyOf(const Point& point) { return {point.nodes, point.ppn, point.ranks, point.block_bytes}; }

struct Timing {
  size_t algorithm;
  size_t place;
  double log_time;
  double weight;  // less than 1 where the time itself is unsure
};

}  // namespace

std::vector<PlacedTime> CommonTimes(absl::Span<const absl::Span<const PlacedTime>> algorithms) {
  std::map<Key, size_t> numbers;
  std::vector<PlacedTime> places;
  std::vector<Timing> timings;
  for (size_t i = 0; i < algorithms.size(); ++i) {
    for (const PlacedTime& timed : algorithms[i]) {
      const auto [found, is_new] = numbers.emplace(KeyOf(timed.point), places.size());
      if (is_new) places.push_back({.point = timed.point});
      PlacedTime& place = places[found->second];
      place.weight += timed.weight;
      place.common_variance = std::max(place.common_variance, timed.common_variance);
      timings.push_back({i, found->second, timed.log_time,
                         kRestVariance / (kRestVariance + timed.variance + timed.common_variance)});
    }
  }
  std::vector<double> factors(algorithms.size(), 0);
  std::vector<double> counts(places.size(), 0);
  for (const Timing& timing : timings) counts[timing.place] += timing.weight;
  for (int round = 0; round < kCommonTimeRounds; ++round) {
    for (PlacedTime& place : places) place.log_time = 0;
    for (const Timing& timing : timings) {
      places[timing.place].log_time +=
          timing.weight * (timing.log_time - factors[timing.algorithm]) / counts[timing.place];
    }
    std::vector<double> sums(algorithms.size(), 0);
    std::vector<double> weights(algorithms.size(), kRestVariance / kFactorVariance);
    for (const Timing& timing : timings) {
      sums[timing.algorithm] += timing.weight * (timing.log_time - places[timing.place].log_time);
      weights[timing.algorithm] += timing.weight;
    }
    for (size_t i = 0; i < factors.size(); ++i) factors[i] = sums[i] / weights[i];
  }
  double squares = kPriorWeight * kRestVariance;
  for (const Timing& timing : timings) {
    const double rest = timing.log_time - places[timing.place].log_time - factors[timing.algorithm];
    squares += timing.weight * rest * rest;
  }
  const double free = static_cast<double>(timings.size()) - static_cast<double>(places.size()) -
                      static_cast<double>(algorithms.size());
  const double variance = squares / (kPriorWeight + std::max(0.0, free));
  for (size_t i = 0; i < places.size(); ++i) places[i].variance = variance / counts[i];
  return places;
}

}  // namespace cox::learn
