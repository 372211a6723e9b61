// Warns where a model without links prices a network whose links may be the bottleneck. Pure
// functions, any thread.
#ifndef COX_MODEL_MODELS_NARROW_NETWORK_H_
#define COX_MODEL_MODELS_NARROW_NETWORK_H_

#include <string>

#include "model/schedule.h"

namespace cox::model {

// How many times longer the links between the network's halves take than the busiest node's link,
// for the phase where that is most: (V / 2) / b over the node's bytes, if half of all V bytes cross
// the b links. At most 1 with full bisection (crossbar, fat tree), and without traffic 0. Phases on
// submachines are left out.
double LinkSlowdown(const Schedule& schedule);

// "" for a slowdown below 1.25; models without links err by more than that for other reasons.
std::string NarrowNetworkCaveat(const Schedule& schedule);

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_NARROW_NETWORK_H_
