// Strategies with leaders of a job's sockets, switches or groups. Pure; any thread.
#ifndef COX_ADVISE_PLACEMENT_UNITS_H_
#define COX_ADVISE_PLACEMENT_UNITS_H_

#include <vector>

#include "advise/placement/network.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::advise {

// Appends each strategy that takes the knob `unit` once more, with the ranks of a socket, and of
// the nodes of each level of switches, where the strategy applies with them.
void AddUnits(const NodesInUse& nodes, const strategy::Scenario& scenario,
              std::vector<strategy::Strategy>* strategies);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_UNITS_H_
