// gather/windowed: the senders take turns, a window of them at a time, so that they do not overrun
// the way to the root. Only gather.cc uses these.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999, Algorithm 1: sender j waits for a start signal from sender j - w, sends all that
// it has to the root, and then sends a start signal to sender j + w.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_WINDOWED_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_WINDOWED_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

// One phase, a repetition for each of ceil((p - 1) / window) waves; ranks count from the root. A
// window of 0, or of all senders: all at once, without signals.
void BuildGatherWindowed(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateGatherWindowed(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_GATHER_WINDOWED_H_
