// Parts of a machine that are scaled-down copies of it: C3's submachines (S. E. Hambrusch, A. A.
// Khokhar, C3: an architecture-independent model for coarse-grained parallel machines, section 4).
// The scenario's shape is that of the whole machine; not known: a crossbar. Pure, any thread.
#ifndef COX_STRATEGY_TRAFFIC_PART_H_
#define COX_STRATEGY_TRAFFIC_PART_H_

#include <cstdint>

#include "model/extent.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// A line of `side` processors, such as a row of a square mesh; and a square of side x side, where
// the topology has sides. Elsewhere as many processors connected as the whole is.
model::Extent LineOf(const Scenario& scenario, int64_t side);
model::Extent SquareOf(const Scenario& scenario, int64_t processors);

// What cutting the longest side in halves, again and again, leaves with `processors`. Where that
// does not come out even: as many processors connected as the whole is.
model::Extent CutTo(const Scenario& scenario, int64_t processors);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_PART_H_
