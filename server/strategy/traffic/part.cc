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
  if (!scenario.shape->dims.empty() && product == scenario.ranks) {
    part->dims = scenario.shape->dims;
    return;
  }
  const int cuts = std::countr_zero(static_cast<uint64_t>(scenario.ranks));
  part->dims = {int64_t{1} << ((cuts + 1) / 2), int64_t{1} << (cuts / 2)};
}

}  // namespace

model::Extent LineOf(const Scenario& scenario, int64_t side) {
  domain::Shape& part = Scratch(scenario);
  if (HasSides(part.topology)) part.dims.push_back(side);
  return model::ExtentOf(part, side);
}

model::Extent SquareOf(const Scenario& scenario, int64_t processors) {
  return model::ExtentOf(Scratch(scenario), processors);
}

model::Extent CutTo(const Scenario& scenario, int64_t processors) {
  domain::Shape& part = Scratch(scenario);
  const bool is_even = topology::IsPowerOfTwo(scenario.ranks) && topology::IsPowerOfTwo(processors);
  if (!HasSides(part.topology) || !is_even) return model::ExtentOf(part, processors);
  SetWholeSides(scenario, &part);
  for (int64_t left = scenario.ranks; left > processors; left /= 2) {
    *std::max_element(part.dims.begin(), part.dims.end()) /= 2;
  }
  return model::ExtentOf(part, processors);
}

}  // namespace cox::strategy
