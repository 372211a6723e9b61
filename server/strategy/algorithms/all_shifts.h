// Pairwise exchange: one shift after the other, over all distances. Shifts that keep some messages
// inside nodes are taken first, then those that keep all, then the others: in which order they come
// makes no difference to what they cost. Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_
#define COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_

#include "model/schedule.h"
#include "strategy/enumeration.h"

namespace cox::strategy {

// p - 1 steps of a block from each rank to another one; each combines reduced_bytes in a step.
void AddAllShifts(const Scenario& scenario, double reduced_bytes, model::Schedule* schedule);
void EnumerateAllShifts(const Scenario& scenario, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_
