#include "model/extent.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/shape.h"

namespace cox::model {
namespace {

struct Sides {
  double largest;
  double sum;
};

double ProductOf(const std::vector<int64_t>& dims) {
  double product = 1;
  for (const int64_t dim : dims) product *= static_cast<double>(dim);
  return product;
}

// A dragonfly's groups. One dim alone is their number, and does not say how many nodes there are.
double GroupsOf(const std::vector<int64_t>& dims, double nodes) {
  const double product = ProductOf(dims);
  const bool are_these = dims.size() == 1 ? product <= nodes : product == nodes;
  return are_these && !dims.empty() ? static_cast<double>(dims.front()) : std::sqrt(nodes);
}

Sides SidesOf(const std::vector<int64_t>& dims, double nodes) {
  double largest = 1;
  double sum = 0;
  for (const int64_t dim : dims) {
    const auto side = static_cast<double>(dim);
    largest = std::max(largest, side);
    sum += dim > 1 ? side : 0;  // a side of one adds no distance
  }
  if (!dims.empty() && ProductOf(dims) == nodes) return {largest, sum};
  if (dims.empty() || dims.size() == 2) {
    const double side = std::sqrt(nodes);
    return {side, 2 * side};
  }
  const auto count = static_cast<double>(dims.size());
  const double side = std::pow(nodes, 1 / count);
  return {side, count * side};
}

}  // namespace

Extent ExtentOf(const domain::Shape& shape, int64_t nodes) {
  const std::vector<int64_t>& dims = shape.dims;
  const auto n = static_cast<double>(nodes);
  if (nodes <= 1) return {n, 1, 0};
  Extent extent{n, 1, 1};
  switch (shape.topology) {
    case domain::Topology::kCrossbar:
      extent.bisection_links = n / 2;
      break;
    case domain::Topology::kBus:
      break;
    case domain::Topology::kMesh: {
      const Sides sides = SidesOf(dims, n);
      extent.bisection_links = n / sides.largest;
      extent.distance_hops = sides.sum / 3;
      break;
    }
    case domain::Topology::kTorus: {
      const Sides sides = SidesOf(dims, n);
      extent.bisection_links = 2 * n / sides.largest;
      extent.distance_hops = sides.sum / 4;
      break;
    }
    case domain::Topology::kHypercube:
      extent.bisection_links = std::floor(n / 2);
      extent.distance_hops = std::log2(n) / 2;
      break;
    case domain::Topology::kTree:
      extent.distance_hops = std::log2(n);
      break;
    case domain::Topology::kFatTree:
      extent.bisection_links = n / 2;
      extent.distance_hops = std::log2(n);
      break;
    case domain::Topology::kDragonfly: {
      const double groups = GroupsOf(dims, n);
      extent.bisection_links = groups * groups / 4;
      extent.distance_hops = 3 - 2 / groups;
      break;
    }
  }
  extent.bisection_links = std::max(1.0, extent.bisection_links);
  return extent;
}

}  // namespace cox::model
