// How many ranks each node has, from a scenario's ranks, ppn and placement. Pure value, any thread.
// The scenario is valid.
#ifndef COX_STRATEGY_TRAFFIC_NODES_H_
#define COX_STRATEGY_TRAFFIC_NODES_H_

#include <algorithm>
#include <cstdint>

#include "strategy/scenario.h"

namespace cox::strategy {

struct Nodes {
  explicit Nodes(const Scenario& scenario)
      : ranks(scenario.ranks),
        ppn(std::min(scenario.ppn, scenario.ranks)),
        count((ranks + ppn - 1) / ppn),
        cyclic(scenario.placement == Placement::kCyclic) {}

  int64_t Of(int64_t rank) const { return cyclic ? rank % count : rank / ppn; }

  // Ranks of the fullest and of the emptiest node. Block placement fills all nodes but the last.
  int64_t largest() const { return cyclic ? (ranks + count - 1) / count : ppn; }
  int64_t smallest() const { return cyclic ? ranks / count : ranks - (count - 1) * ppn; }
  // Nodes with largest() ranks; the others have smallest().
  int64_t largest_count() const {
    const int64_t over = cyclic ? ranks % count : count - (smallest() < ppn ? 1 : 0);
    return over == 0 ? count : over;
  }
  int64_t SizeOf(int64_t node) const {
    if (!cyclic) return std::min(ppn, ranks - node * ppn);
    return ranks / count + (node < ranks % count ? 1 : 0);
  }

  int64_t ranks;
  int64_t ppn;  // at most `ranks`
  int64_t count;
  bool cyclic;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_NODES_H_
