// What the personalised operations share: their algorithms, and which of them is cheapest. Pure,
// any thread.
#ifndef COX_COLLECTIVES_PROTOCOLS_PERSONALISED_H_
#define COX_COLLECTIVES_PROTOCOLS_PERSONALISED_H_

#include <optional>

#include "collectives/choice/algorithm_name.h"
#include "collectives/choice/cost.h"
#include "collectives/choice/largest_load.h"
#include "collectives/choice/route.h"

namespace cox::collectives {

enum Algorithm { kDirect, kWindowed, kPairwise, kBruck, kMesh2d, kGrid3d, kHypercube };

inline constexpr AlgorithmRow kDirectRow = {kDirect, "direct"};
inline constexpr AlgorithmRow kWindowedRow = {kWindowed, "windowed", "window", 1};
inline constexpr AlgorithmRow kPairwiseRow = {kPairwise, "pairwise"};
inline constexpr AlgorithmRow kBruckRow = {kBruck, "bruck"};
inline constexpr AlgorithmRow kMesh2dRow = {kMesh2d, "mesh2d"};
inline constexpr AlgorithmRow kGrid3dRow = {kGrid3d, "grid3d"};
inline constexpr AlgorithmRow kHypercubeRow = {kHypercube, "hypercube"};

// The routing of an algorithm that has one.
std::optional<Routing> RoutingOf(int algorithm);

// The cheapest way of an exchange; of equal ones the first of direct, bruck, mesh2d, grid3d and
// hypercube, the last three for at most kMostRanksToRoute ranks. Windows cost as much as direct in
// this model. The same on all ranks if the arguments are.
//
// block_bytes: what every rank has for every other one.
AlgorithmChoice CheapestExchange(const ExchangeCosts& by, double block_bytes);

// The same, but bruck, for messages of any sizes, as if every rank had `largest` for all others
// alike. direct_s: what they cost directly. Where
// they are routed each has its record, and those that travel together a head.
AlgorithmChoice CheapestOfMessages(const ExchangeCosts& by, double direct_s,
                                   const LargestLoad& largest);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_PERSONALISED_H_
