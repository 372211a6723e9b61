// The second part of a reduction by halves. After a reduce-scatter by recursive halving each active
// rank has a part of the result; a binomial tree gathers the parts at the root. Only reduce.cc uses
// this. Source: Open MPI v4.1.4, coll/base: reduce_intra_redscat_gather, step 3.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/enumeration.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {

// An inactive root first takes the place of rank 0. fold.offset is 0. Adds a phase for that and one
// for each step. A message is the share of the result that the sender's subtree holds.
void AddGatherOfHalves(const Scenario& scenario, const Fold& fold, model::Schedule* schedule);

// The messages, each step a phase.
void EnumerateGatherOfHalves(const Scenario& scenario, const Fold& fold, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_
