// The algorithms of the personalised operations, and the choice of the cheapest. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_PERSONALISED_H_
#define COX_COLLECTIVES_CHOICE_PERSONALISED_H_

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
inline constexpr AlgorithmRow kMesh2dRow = {kMesh2d, "mesh2d", "columns", 2};
inline constexpr AlgorithmRow kGrid3dRow = {kGrid3d, "grid3d"};
inline constexpr AlgorithmRow kHypercubeRow = {kHypercube, "hypercube"};

// The routing of an algorithm, if it has one. Its knob is the number of columns of a mesh.
std::optional<Routing> RoutingOf(int algorithm);

// The cheapest algorithm of an exchange; of equal ones the first of direct, bruck, mesh2d, grid3d
// and hypercube, the last three for at most kMostRanksToRoute ranks. Windows cost as much as direct
// in this model. All ranks choose the same if their arguments are the same.
//
// block_bytes: what every rank has for every other rank.
AlgorithmChoice CheapestExchange(const ExchangeCosts& by, double block_bytes);

// The same without bruck, for messages of any size, as if every rank had `largest`, spread evenly
// over all others. direct_s: their price when sent directly. Routed messages carry a record each,
// and a head per group that travels together.
AlgorithmChoice CheapestOfMessages(const ExchangeCosts& by, double direct_s,
                                   const LargestLoad& largest);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PERSONALISED_H_
