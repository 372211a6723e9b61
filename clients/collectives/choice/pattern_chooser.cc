#include "collectives/choice/pattern_chooser.h"

#include <algorithm>
#include <limits>

namespace cox::collectives {
namespace {

constexpr std::array<PatternCandidate, 4> kCandidates = {{{"direct", std::nullopt},
                                                          {"mesh2d", Routing::kMesh2d},
                                                          {"grid3d", Routing::kGrid3d},
                                                          {"hypercube", Routing::kHypercube}}};

bool IsOff(double now, double then, double factor) {
  return now > factor * then || then > factor * now;
}

}  // namespace

std::span<const PatternCandidate> PatternCandidates() { return kCandidates; }

PatternChooser::PatternChooser(int ranks) : ranks_(ranks) {
  static_assert(kCandidates.size() == kCount);
  for (const PatternCandidate& candidate : kCandidates) {
    const bool is_routed = candidate.routing && ranks <= kMostRanksToRoute;
    loads_.push_back(is_routed ? LoadsOf(*candidate.routing, ranks) : RouteLoads{});
  }
}

PatternChooser::PerCandidate PatternChooser::Prices(std::span<const Transfer> transfers,
                                                    const domain::CostProfile& costs) const {
  PerCandidate prices{};
  for (size_t i = 0; i < kCount; ++i) {
    const std::optional<Routing>& routing = kCandidates[i].routing;
    if (!routing) {
      prices[i] =
          DirectPatternSeconds(ranks_, transfers, costs) + EndOfDirectSeconds(ranks_, costs);
    } else if (ranks_ > kMostRanksToRoute) {
      prices[i] = std::numeric_limits<double>::infinity();
    } else {
      prices[i] = RoutedPatternSeconds(*routing, ranks_, loads_[i], transfers, costs);
    }
  }
  return prices;
}

void PatternChooser::Learn(const PerCandidate& prices, double measured_s) {
  bool is_another = !has_decided_;
  for (size_t i = 0; i < kCount; ++i) is_another |= IsOff(prices[i], priced_[i], kPatternDrift);
  if (is_another) {
    priced_ = prices;
    measured_ = {};
    return;  // at least part of the time belongs to the former pattern
  }
  if (!(measured_s > 0)) return;
  const double before_s = measured_[present_];
  if (before_s > 0 && IsOff(measured_s, before_s, kTimeDrift)) measured_ = {};
  measured_[present_] = measured_s;
}

PatternChooser::Decision PatternChooser::Decide(std::span<const Transfer> transfers,
                                                double measured_s,
                                                const domain::CostProfile& costs) {
  const PerCandidate prices = Prices(transfers, costs);
  Learn(prices, measured_s);
  PerCandidate expected = prices;
  for (size_t i = 0; i < kCount; ++i) {
    if (measured_[i] > 0) expected[i] = measured_[i];
  }
  const auto best =
      static_cast<size_t>(std::min_element(expected.begin(), expected.end()) - expected.begin());
  const bool changes = !has_decided_ || expected[best] < kWorthIt * expected[present_];
  if (changes) present_ = best;
  next_in_ = changes ? kSoon : std::min(2 * next_in_, kLatest);
  has_decided_ = true;
  return {static_cast<int>(present_), prices[present_], measured_[present_], next_in_};
}

}  // namespace cox::collectives
