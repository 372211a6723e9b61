// Pairwise exchange: one shift for each distance. Shifts with messages at both levels come first,
// then those within nodes, then those between nodes; the order does not change the price. Pure, any
// thread.
#ifndef COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_
#define COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_

#include "model/schedule.h"
#include "strategy/enumeration.h"

namespace cox::strategy {

// Adds p - 1 steps in which each rank sends a block to another rank and combines reduced_bytes.
void AddAllShifts(const Scenario& scenario, double reduced_bytes, model::Schedule* schedule);
void EnumerateAllShifts(const Scenario& scenario, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ALL_SHIFTS_H_
