// A phase in which one rank sends to all others, or receives from all, directly.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_STAR_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_STAR_H_

#include <cstdint>

#include "model/traffic.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// The root sends `bytes` to each other rank. No traffic at p = 1.
model::Traffic OneToAll(const Scenario& scenario, int64_t root, double bytes);

// Each other rank sends `bytes` to the root.
model::Traffic AllToOne(const Scenario& scenario, int64_t root, double bytes);

// One rank sends `bytes` to another.
model::Traffic OneToOne(const Scenario& scenario, int64_t source, int64_t destination,
                        double bytes);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_STAR_H_
