// The gather in which the root asks one rank after another. Only gather.cc uses this.
// Source: Open MPI v4.1.4, coll/base: gather_intra_linear_sync, without a segment size.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_

#include "strategy/catalogue.h"

namespace cox::strategy {

// For each rank but the root in turn: a message without bytes from the root, the block to the root,
// and another message without bytes behind it. A phase for each of the three, shared by the turns.
void BuildGatherLinearSync(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateGatherLinearSync(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_
