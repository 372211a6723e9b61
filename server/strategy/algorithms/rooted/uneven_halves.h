// C3's logp-lev-rec: like logp-lev-sq, but a leader keeps another share of its part than half. It
// sends one message to the leader of the rest, then both do the same, until every part is one rank.
// Only scatter.cc and gather.cc use these.
//
// Source: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines, section 4.1.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_UNEVEN_HALVES_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_UNEVEN_HALVES_H_

#include "absl/status/status.h"
#include "model/schedule.h"
#include "strategy/algorithms/rooted/levels.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// Of n ranks the leader keeps ceil(gamma n), at least one and never all. A share of 0 means 3/4.
// FAILED_PRECONDITION for a share above 999 per mille, for more than kMaxUnevenSteps steps, and for
// more than kCountedRanks ranks unless each has its own node or all share one.
inline constexpr int64_t kMaxUnevenSteps = 128;
absl::Status UnevenHalvesApply(const Scenario& scenario, const Knobs& knobs);

// A phase for each step: all parts are divided at the same time.
template <Direction kDirection>
void BuildUnevenHalves(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
template <Direction kDirection>
void EnumerateUnevenHalves(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_UNEVEN_HALVES_H_
