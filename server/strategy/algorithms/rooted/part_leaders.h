// C3's two levels with any number of leaders: the root sends to one leader of each part of the
// machine all blocks of that part, and the leaders send them on. Parts need not be equal. Only
// scatter.cc and gather.cc use these.
//
// Source: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines, section 4.1: p^alpha leaders, 1 / log p <= alpha < 1.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_PART_LEADERS_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_PART_LEADERS_H_

#include "absl/status/status.h"
#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// FAILED_PRECONDITION for more than kCountedRanks ranks dealt to nodes of several in turn: which
// node has most leaders is worked out by counting.
absl::Status PartLeadersApply(const Scenario& scenario, const Knobs& knobs);

// The ranks, counted from the root, in knobs.fanout parts of consecutive ranks: 0 means sqrt(p),
// rounded up, and more than p means p. Sizes differ by at most one, larger parts first. A phase for
// each of the two levels that sends anything. Any p.
template <Direction kDirection>
void BuildPartLeaders(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
template <Direction kDirection>
void EnumeratePartLeaders(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_PART_LEADERS_H_
