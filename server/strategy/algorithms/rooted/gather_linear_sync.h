// A gather in which the root asks one rank after the other. Only gather.cc uses this.
// Source: Open MPI v4.1.4, coll/base: gather_intra_linear_sync, without a segment size.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_

#include "strategy/catalogue.h"

namespace cox::strategy {

// For each rank but the root in turn: an empty message from the root, the block to the root, and
// another empty message to the root. A phase for each of the three; the turns share it.
void BuildGatherLinearSync(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateGatherLinearSync(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_LINEAR_SYNC_H_
