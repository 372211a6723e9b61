// What the personalised operations share: their algorithms, and which of them is cheapest.
#ifndef COX_COLLECTIVES_PERSONALISED_H_
#define COX_COLLECTIVES_PERSONALISED_H_

#include <optional>

#include "collectives/algorithm_name.h"
#include "collectives/channel.h"
#include "collectives/largest_load.h"
#include "collectives/route.h"

namespace cox::collectives {

enum Algorithm { kDirect, kWindowed, kPairwise, kBruck, kMesh2d, kGrid3d, kHypercube };

inline constexpr AlgorithmRow kDirectRow = {kDirect, "direct"};
inline constexpr AlgorithmRow kWindowedRow = {kWindowed, "windowed", "window", 1};
inline constexpr AlgorithmRow kPairwiseRow = {kPairwise, "pairwise"};
inline constexpr AlgorithmRow kBruckRow = {kBruck, "bruck"};
inline constexpr AlgorithmRow kMesh2dRow = {kMesh2d, "mesh2d"};
inline constexpr AlgorithmRow kGrid3dRow = {kGrid3d, "grid3d"};
inline constexpr AlgorithmRow kHypercubeRow = {kHypercube, "hypercube"};

// The routing of an algorithm that has one. Any thread.
std::optional<Routing> RoutingOf(int algorithm);

// The cheapest way of an exchange by the channel's costs; of equal ones the first of direct, bruck,
// mesh2d, grid3d and hypercube. Windows cost as much as direct in this model. The same on all ranks
// if the arguments are. Any thread.
//
// direct_s: what it costs directly. block_bytes: what a rank has for another one, on average.
// has_bruck: whether blocks are equal, so that bruck can be had.
AlgorithmChoice CheapestExchange(Channel& channel, double direct_s, double block_bytes,
                                 bool has_bruck);

// The same for messages of any sizes, as if every rank had `largest` for all others alike; where
// they are routed each has its record.
AlgorithmChoice CheapestOfMessages(Channel& channel, double direct_s, const LargestLoad& largest);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PERSONALISED_H_
