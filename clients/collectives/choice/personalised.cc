#include "collectives/choice/personalised.h"

#include <algorithm>

namespace cox::collectives {
namespace {

constexpr struct {
  Algorithm algorithm;
  Routing routing;
} kRoutings[] = {
    {kMesh2d, Routing::kMesh2d}, {kGrid3d, Routing::kGrid3d}, {kHypercube, Routing::kHypercube}};

// The first choice, with its seconds, or a cheaper routed one.
AlgorithmChoice OrRouted(AlgorithmChoice cheapest, double least_s, const ExchangeCosts& by,
                         double block_bytes, double head_bytes) {
  if (by.ranks > kMostRanksToRoute) return cheapest;
  for (const auto& row : kRoutings) {
    const double seconds =
        RoutedSeconds(by.loads_by(row.routing), block_bytes, by.costs, head_bytes);
    if (seconds >= least_s) continue;
    cheapest = {row.algorithm, 0};
    least_s = seconds;
  }
  return cheapest;
}

}  // namespace

std::optional<Routing> RoutingOf(int algorithm) {
  for (const auto& row : kRoutings) {
    if (row.algorithm == algorithm) return row.routing;
  }
  return std::nullopt;
}

AlgorithmChoice CheapestExchange(const ExchangeCosts& by, double block_bytes) {
  const double direct_s = DirectSeconds(by.ranks, block_bytes, by.costs);
  const double bruck_s = BruckSeconds(by.ranks, block_bytes, by.costs);
  const AlgorithmChoice unrouted = {bruck_s < direct_s ? kBruck : kDirect, 0};
  return OrRouted(unrouted, std::min(direct_s, bruck_s), by, block_bytes, 0);
}

AlgorithmChoice CheapestOfMessages(const ExchangeCosts& by, double direct_s,
                                   const LargestLoad& largest) {
  const auto bytes = static_cast<double>(largest.bytes + largest.messages * kRecordBytes);
  return OrRouted({kDirect, 0}, direct_s, by, bytes / std::max(by.ranks - 1, 1), kHeadBytes);
}

}  // namespace cox::collectives
