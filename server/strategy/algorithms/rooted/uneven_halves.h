// C3's logp-lev-rec: as logp-lev-sq, but the leader of a part keeps more of it, or less, than half.
// One message to the leader of the rest of the part, then the same in both, until every part is one
// rank. Only scatter.cc and gather.cc use these.
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

// Of n ranks the leader keeps ceil(gamma n), and at least one and not all. A share that is not set
// is 3/4. FAILED_PRECONDITION for one above 999 per mille, for more than kMaxUnevenSteps steps, or
// for more than kCountedRanks ranks unless each has a node of its own or all are on one.
inline constexpr int64_t kMaxUnevenSteps = 128;
absl::Status UnevenHalvesApply(const Scenario& scenario, const Knobs& knobs);

// A phase for each step: all parts are divided at the same time.
template <Direction kDirection>
void BuildUnevenHalves(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
template <Direction kDirection>
void EnumerateUnevenHalves(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_UNEVEN_HALVES_H_
