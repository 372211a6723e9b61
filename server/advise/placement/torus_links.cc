#include "advise/placement/torus_links.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "advise/placement/routed_links.h"

namespace cox::advise {
namespace {

// Hops of the shorter way around a ring, negative against the numbers.
int RingStep(int from, int to, int length) {
  const int up = (to - from + length) % length;
  return 2 * up <= length ? up : up - length;
}

class TorusLinks final : public Links {
 public:
  TorusLinks(std::vector<int> dims, const std::vector<int>& places, double hop_time_s)
      : dims_(std::move(dims)), places_(places), hop_time_s_(hop_time_s) {
    for (const int dim : dims_) machine_ *= dim;
  }

  // Of each node of the machine, in each dimension, up and down.
  int64_t count() const override { return 2 * machine_ * static_cast<int64_t>(dims_.size()); }
  double width(int /*link*/) const override { return 1; }

  double AddRoute(int from, int to, std::vector<int>* route) const override {
    int at = places_[static_cast<size_t>(from)];
    int rest = places_[static_cast<size_t>(to)];
    int hops = 0;
    int stride = 1;
    const auto dim_count = static_cast<int>(dims_.size());
    for (int d = 0; d < dim_count; ++d) {
      const int length = dims_[static_cast<size_t>(d)];
      int here = at / stride % length;
      int left = RingStep(here, rest % length, length);
      const int direction = left > 0 ? 1 : -1;
      for (; left != 0; left -= direction, ++hops) {
        route->push_back(2 * (at * dim_count + d) + (direction > 0 ? 0 : 1));
        const int next = (here + direction + length) % length;
        at += (next - here) * stride;
        here = next;
      }
      rest /= length;
      stride *= length;
    }
    return hops > 1 ? (hops - 1) * hop_time_s_ : 0;
  }

  EvenLoad Evenly() const override {
    return all_pairs_.Of(*this, static_cast<int>(places_.size()));
  }

 private:
  const std::vector<int> dims_;
  const std::vector<int> places_;
  const double hop_time_s_;
  int64_t machine_ = 1;
  const AllPairs all_pairs_;
};

// Nodes of the job at one coordinate of a dimension.
struct Slab {
  int coordinate = 0;
  double node_count = 0;
};

std::vector<Slab> SlabsOf(const std::vector<int>& places, int stride, int length) {
  std::vector<int> coordinates;
  coordinates.reserve(places.size());
  for (const int place : places) coordinates.push_back(place / stride % length);
  std::sort(coordinates.begin(), coordinates.end());
  std::vector<Slab> slabs;
  for (const int coordinate : coordinates) {
    if (slabs.empty() || slabs.back().coordinate != coordinate) slabs.push_back({coordinate, 0});
    slabs.back().node_count += 1;
  }
  return slabs;
}

}  // namespace

NodesInUse UseTorus(const std::vector<int>& dims, const std::vector<int>& places,
                    double hop_time_s) {
  const auto n = static_cast<double>(places.size());
  NodesInUse in_use;
  in_use.node_count = in_use.switch_count = static_cast<int64_t>(places.size());
  double machine = 1;
  for (const int dim : dims) machine *= dim;
  double hops = 0;  // of all ordered pairs
  double narrowest = 1;
  int stride = 1;
  for (const int length : dims) {
    const std::vector<Slab> slabs = SlabsOf(places, stride, length);
    const double cut_links = (length > 2 ? 2 : 1) * machine / length;
    for (size_t i = 0; i < slabs.size(); ++i) {
      double k = 0;  // between this slab and the j-th
      for (size_t j = i; j < slabs.size(); ++j) {
        hops += 2 * slabs[i].node_count * slabs[j].node_count *
                std::abs(RingStep(slabs[i].coordinate, slabs[j].coordinate, length));
        k += slabs[j].node_count;
        if (k < n) narrowest = std::min(narrowest, cut_links / std::min(k, n - k));
      }
    }
    stride *= length;
  }
  if (n > 1) in_use.distance_links = hops / (n * (n - 1));
  in_use.bisection_links = std::max(1.0, n / 2 * narrowest);
  if (n > 1) in_use.links = std::make_shared<const TorusLinks>(dims, places, hop_time_s);
  return in_use;
}

}  // namespace cox::advise
