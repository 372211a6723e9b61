// Complete exchanges over virtual topologies, with combined messages: alltoall/mesh2d,
// alltoall/grid3d, alltoall/hypercube. Who sends what to whom: virtual_topology.h. A message
// without any data is still sent. Only alltoall.cc calls these.
#ifndef COX_STRATEGY_ROUTED_ALLTOALL_H_
#define COX_STRATEGY_ROUTED_ALLTOALL_H_

#include "model/schedule.h"
#include "strategy/catalogue.h"
#include "strategy/exchange.h"

namespace cox::strategy {

void BuildMesh2d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateMesh2d(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildGrid3d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateGrid3d(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
void BuildHypercube(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateHypercube(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// Adds a phase with the traffic of an exchange. Its busiest rank combines what it passes on: it
// looks at and copies each byte once, but for what is its own (`is_first`).
void AddRoutedPhase(const Exchange& exchange, const ExchangeId& id, const Scenario& scenario,
                    bool is_first, model::Schedule* schedule);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ROUTED_ALLTOALL_H_
