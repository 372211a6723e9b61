// How a machine's nodes are connected. Pure, any thread.
#ifndef COX_DOMAIN_SHAPE_H_
#define COX_DOMAIN_SHAPE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

enum class Topology { kCrossbar, kBus, kMesh, kTorus, kHypercube, kTree, kFatTree, kDragonfly };
inline constexpr int kTopologyCount = 8;

// "crossbar", "bus", "mesh", "torus", "hypercube", "tree", "fat-tree", "dragonfly", and back
// (INVALID_ARGUMENT, field "topology.kind", listing all names).
absl::string_view TopologyName(Topology topology);
absl::StatusOr<Topology> ParseTopology(absl::string_view name);

struct Shape {
  Topology topology = Topology::kCrossbar;
  std::vector<int64_t> dims;  // extents where the topology has them, each >= 1
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHAPE_H_
