// Complete exchanges that combine messages on their way through virtual topologies:
// alltoall/mesh2d, alltoall/grid3d, alltoall/hypercube, and C3's in levels. virtual_topology.h has
// the routes. An empty message is still sent. Only alltoall.cc calls these.
#ifndef COX_STRATEGY_ALGORITHMS_ROUTED_ROUTED_ALLTOALL_H_
#define COX_STRATEGY_ALGORITHMS_ROUTED_ROUTED_ALLTOALL_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {

void BuildMesh2d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateMesh2d(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildGrid3d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateGrid3d(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildHypercube(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateHypercube(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// C3's algorithms of several levels: the mesh's two phases, each in lines; in squares, see
// Squares; in halves, the hypercube's exchanges, farthest first.
void BuildTwoLevelRows(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void BuildTwoLevelSquares(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateTwoLevelSquares(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildButterfly(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateButterfly(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Adds a phase with the traffic of an exchange, on submachines like `submachine` (none stated: on
// the whole machine). The busiest rank reads and copies each byte that it passes on, except its own
// blocks (`is_first`).
void AddRoutedPhase(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                    bool is_first, model::Schedule* schedule, const model::Extent& submachine = {});

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROUTED_ROUTED_ALLTOALL_H_
