#include "strategy/traffic/part.h"

#include <algorithm>
#include <bit>

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

// Of a part with `ranks` ranks: rounded up, so at least one.
int64_t NodesOf(const Scenario& scenario, int64_t ranks) {
  return (ranks * scenario.node_count() + scenario.ranks - 1) / scenario.ranks;
}

model::Extent ExtentOf(const domain::Shape& part, int64_t nodes, int64_t ranks) {
  model::Extent extent = model::ExtentOf(part, nodes);
  extent.processors_count = static_cast<double>(ranks);
  return extent;
}

}  // namespace

model::Extent WholeOf(const Scenario& scenario) {
  static const domain::Shape kCrossbar;
  const domain::Shape& shape = scenario.shape != nullptr ? *scenario.shape : kCrossbar;
  return ExtentOf(shape, scenario.node_count(), scenario.ranks);
}

model::Extent LineOf(const Scenario& scenario, int64_t side) {
  domain::Shape& part = Scratch(scenario);
  const int64_t nodes = NodesOf(scenario, side);
  if (HasSides(part.topology)) part.dims.push_back(nodes);
  return ExtentOf(part, nodes, side);
}

model::Extent SquareOf(const Scenario& scenario, int64_t ranks) {
  return ExtentOf(Scratch(scenario), NodesOf(scenario, ranks), ranks);
}

model::Extent CutTo(const Scenario& scenario, int64_t ranks) {
  domain::Shape& part = Scratch(scenario);
  const int64_t nodes = NodesOf(scenario, ranks);
  const bool is_even =
      topology::IsPowerOfTwo(scenario.node_count()) && topology::IsPowerOfTwo(nodes);
  if (!HasSides(part.topology) || !is_even) return ExtentOf(part, nodes, ranks);
  SetWholeSides(scenario, &part);
  for (int64_t left = scenario.node_count(); left > nodes; left /= 2) {
    *std::max_element(part.dims.begin(), part.dims.end()) /= 2;
  }
  return ExtentOf(part, nodes, ranks);
}

}  // namespace cox::strategy
