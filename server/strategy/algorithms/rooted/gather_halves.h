// The second part of a reduction by halves: after a reduce-scatter by recursive halving every rank
// that took part has a part of the result, and a binomial tree gathers them at the root. Only
// reduce.cc uses this. Source: Open MPI v4.1.4, coll/base: reduce_intra_redscat_gather, step 3.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/enumeration.h"
#include "strategy/traffic/patterns.h"

namespace cox::strategy {

// A root that took no part first takes the place of rank 0. fold.offset is 0. A phase for that and
// one for each step, in which a message is the share that all senders' subtrees hold.
void AddGatherOfHalves(const Scenario& scenario, const Fold& fold, model::Schedule* schedule);

// The messages, step by step; each step is to be a phase of its own.
void EnumerateGatherOfHalves(const Scenario& scenario, const Fold& fold, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_HALVES_H_
