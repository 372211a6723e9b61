// Complete exchanges over virtual topologies, with combined messages: alltoall/mesh2d,
// alltoall/grid3d, alltoall/hypercube, and those of C3 in levels. Who sends what to whom:
// virtual_topology.h. A message without any data is still sent. Only alltoall.cc calls these.
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

// C3's algorithms of several levels: the mesh's two phases where the mesh is full, each in lines;
// see Squares for the second; hypercube's exchanges, farthest first.
void BuildTwoLevelRows(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void BuildTwoLevelSquares(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateTwoLevelSquares(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildButterfly(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateButterfly(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Adds a phase with the traffic of an exchange. Its busiest rank combines what it passes on: it
// looks at and copies each byte once, but for what is its own (`is_first`). On parts of the machine
// like `submachine`; none stated: on the whole.
void AddRoutedPhase(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                    bool is_first, model::Schedule* schedule, const model::Extent& submachine = {});

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROUTED_ROUTED_ALLTOALL_H_
