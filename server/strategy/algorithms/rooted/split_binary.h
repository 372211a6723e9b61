// Split binary tree: each half of the message goes down one half of a binary tree, segment by
// segment. Then each rank of one half of the tree exchanges with one of the other. Only bcast.cc
// uses this. Source: Open MPI v4.1.4, coll/base: bcast_intra_split_bintree.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_SPLIT_BINARY_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_SPLIT_BINARY_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// Two phases: the stages of the tree, then the exchange.
void BuildSplitBinary(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateSplitBinary(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_SPLIT_BINARY_H_
