// The k-nomial tree: a binomial tree with k - 1 children in place of each one. Only bcast.cc uses
// this. Source: Open MPI v4.1.4, coll/base: topo_build_kmtree.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_KNOMIAL_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_KNOMIAL_H_

#include "absl/status/status.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// A radix of 0 means 4. FAILED_PRECONDITION for 1.
absl::Status KnomialApplies(const Scenario& scenario, const Knobs& knobs);

// The whole message from the root to all ranks, farthest children first. A phase for each power of
// k below the number of ranks.
void BuildKnomial(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateKnomial(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_KNOMIAL_H_
