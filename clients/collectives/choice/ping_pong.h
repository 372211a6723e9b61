// Alpha and beta from a few messages between the first rank and the last one, while the others go
// on.
#ifndef COX_COLLECTIVES_CHOICE_PING_PONG_H_
#define COX_COLLECTIVES_CHOICE_PING_PONG_H_

#include <functional>
#include <memory>

#include "collectives/engine/agreement.h"
#include "collectives/engine/operation.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// For ranks 0 and ranks - 1 of at least two. go_on: how each goes on; on rank 0 it is given the
// costs, half the shortest round trips; on the other one the defaults. Called once.
std::unique_ptr<Protocol> MakePingPong(
    std::function<Chosen(const domain::CostProfile& costs)> go_on);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PING_PONG_H_
