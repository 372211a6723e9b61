// Measures alpha and beta with a few messages between the first and the last rank, while the other
// ranks continue.
#ifndef COX_COLLECTIVES_CHOICE_PING_PONG_H_
#define COX_COLLECTIVES_CHOICE_PING_PONG_H_

#include <functional>
#include <memory>

#include "collectives/engine/agreement.h"
#include "collectives/engine/operation.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// For rank 0 and rank ranks - 1, of at least two. go_on returns how the rank continues; rank 0
// passes it the measured costs (half of the shortest round trips), the other rank the defaults.
// Called once.
std::unique_ptr<Protocol> MakePingPong(
    std::function<Chosen(const domain::CostProfile& costs)> go_on);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PING_PONG_H_
