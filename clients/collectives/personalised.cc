#include "collectives/personalised.h"

#include <algorithm>

#include "collectives/cost.h"

namespace cox::collectives {
namespace {

constexpr struct {
  Algorithm algorithm;
  Routing routing;
} kRoutings[] = {
    {kMesh2d, Routing::kMesh2d}, {kGrid3d, Routing::kGrid3d}, {kHypercube, Routing::kHypercube}};

}  // namespace

std::optional<Routing> RoutingOf(int algorithm) {
  for (const auto& row : kRoutings) {
    if (row.algorithm == algorithm) return row.routing;
  }
  return std::nullopt;
}

AlgorithmChoice CheapestExchange(Channel& channel, double direct_s, double block_bytes,
                                 bool has_bruck) {
  AlgorithmChoice cheapest = {kDirect, 0};
  double least_s = direct_s;
  const auto offer = [&](Algorithm algorithm, double seconds) {
    if (seconds >= least_s) return;
    cheapest.id = algorithm;
    least_s = seconds;
  };
  const CostProfile& costs = channel.costs();
  if (has_bruck) offer(kBruck, BruckSeconds(channel.ranks(), block_bytes, costs));
  for (const auto& row : kRoutings) {
    offer(row.algorithm, RoutedSeconds(channel.LoadsBy(row.routing), block_bytes, costs));
  }
  return cheapest;
}

AlgorithmChoice CheapestOfMessages(Channel& channel, double direct_s, const LargestLoad& largest) {
  const auto bytes = static_cast<double>(largest.bytes + largest.messages * kRecordBytes);
  return CheapestExchange(channel, direct_s, bytes / std::max(channel.ranks() - 1, 1), false);
}

}  // namespace cox::collectives
