#include "strategy/traffic/part.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "domain/shape.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

bool HasSides(domain::Topology topology) {
  return topology == domain::Topology::kMesh || topology == domain::Topology::kTorus;
}

// The machine's topology with room for other sides. Kept per thread, so that setting sides
// allocates nothing.
domain::Shape& Scratch(const Scenario& scenario) {
  thread_local domain::Shape part;
  part.topology =
      scenario.shape == nullptr ? domain::Topology::kCrossbar : scenario.shape->topology;
  part.dims.clear();
  return part;
}

// The sides of the whole: the machine's own, or those of a square, or of a square and its half.
void SetWholeSides(const Scenario& scenario, domain::Shape* part) {
  int64_t product = 1;
  for (const int64_t side : scenario.shape->dims) product *= side;
  if (!scenario.shape->dims.empty() && product == scenario.node_count()) {
    part->dims = scenario.shape->dims;
    return;
  }
  const int cuts = std::countr_zero(static_cast<uint64_t>(scenario.node_count()));
  part->dims = {int64_t{1} << ((cuts + 1) / 2), int64_t{1} << (cuts / 2)};
}

// Of a part with `ranks` ranks that are `stride` apart, at least one.
int64_t NodesOf(const Scenario& scenario, int64_t ranks, int64_t stride = 1) {
  const int64_t nodes = scenario.node_count();
  if (scenario.placement == Placement::kCyclic) {
    return std::min(ranks, nodes / std::gcd(stride, nodes));
  }
  // The share of all ranks from the first to the last, rounded up. Far apart, each has its own.
  const int64_t share = (ranks * stride * nodes + scenario.ranks - 1) / scenario.ranks;
  return std::min(ranks, share);
}

model::Extent ExtentOf(const domain::Shape& part, int64_t nodes, int64_t ranks) {
  model::Extent extent = model::ExtentOf(part, nodes);
  extent.processors_count = static_cast<double>(ranks);
  return extent;
}

// Of a part. Nodes with several ranks need not be a line or a square of nodes: they are not farther
// apart than all of them.
model::Extent PartOf(const Scenario& scenario, const domain::Shape& part, int64_t nodes,
                     int64_t ranks) {
  model::Extent extent = ExtentOf(part, nodes, ranks);
  if (scenario.ppn > 1) {
    extent.distance_hops = std::min(extent.distance_hops, WholeOf(scenario).distance_hops);
  }
  return extent;
}

}  // namespace

model::Extent WholeOf(const Scenario& scenario) {
  static const domain::Shape kCrossbar;
  const domain::Shape& shape = scenario.shape != nullptr ? *scenario.shape : kCrossbar;
  return ExtentOf(shape, scenario.node_count(), scenario.ranks);
}

model::Extent LineOf(const Scenario& scenario, int64_t side, int64_t stride) {
  domain::Shape& part = Scratch(scenario);
  const int64_t nodes = NodesOf(scenario, side, stride);
  if (HasSides(part.topology)) part.dims.push_back(nodes);
  return PartOf(scenario, part, nodes, side);
}

model::Extent SquareOf(const Scenario& scenario, int64_t ranks) {
  return PartOf(scenario, Scratch(scenario), NodesOf(scenario, ranks), ranks);
}

model::Extent CutTo(const Scenario& scenario, int64_t ranks) {
  domain::Shape& part = Scratch(scenario);
  const int64_t nodes = NodesOf(scenario, ranks);
  const bool is_even =
      topology::IsPowerOfTwo(scenario.node_count()) && topology::IsPowerOfTwo(nodes);
  if (!HasSides(part.topology) || !is_even) return PartOf(scenario, part, nodes, ranks);
  SetWholeSides(scenario, &part);
  for (int64_t left = scenario.node_count(); left > nodes; left /= 2) {
    *std::max_element(part.dims.begin(), part.dims.end()) /= 2;
  }
  return PartOf(scenario, part, nodes, ranks);
}

}  // namespace cox::strategy
