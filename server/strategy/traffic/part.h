// The network of a scenario's nodes, and of parts that are scaled-down copies: C3's submachines (S.
// E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained parallel
// machines, section 4). The scenario's shape is that of the whole machine; unknown: a crossbar.
// Pure, any thread.
#ifndef COX_STRATEGY_TRAFFIC_PART_H_
#define COX_STRATEGY_TRAFFIC_PART_H_

#include <cstdint>

#include "model/extent.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// The network of the scenario's nodes, with all its ranks.
model::Extent WholeOf(const Scenario& scenario);

// A line of `side` ranks that are `stride` apart: 1 for a row of a square mesh, the length of a row
// for a column. If the topology has no sides: as many nodes, connected like the whole machine. A
// part has the nodes that its ranks span: in blocks, consecutive ranks share them; in turns, or far
// apart, each rank has one of its own, as long as there are some. If nodes have several ranks, a
// part is not farther apart than all nodes.
model::Extent LineOf(const Scenario& scenario, int64_t side, int64_t stride);
// A square of this many consecutive ranks.
model::Extent SquareOf(const Scenario& scenario, int64_t ranks);

// The part with `ranks` consecutive ranks that remains when the longest side is halved again and
// again. If halves do not come out even: as many nodes, connected like the whole machine.
model::Extent CutTo(const Scenario& scenario, int64_t ranks);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_PART_H_
