#include "learn/correct/contradiction.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace cox::learn {
namespace {

// Algorithms that a library chooses by size, changes of protocol and buffers that overflow are all
// less than that. Logarithms are natural.
const double kBeyondReason = std::log(20.0);
const double kAround = std::log(8.0);

auto Job(const PlacedTime& place) {
  return std::make_tuple(place.point.nodes, place.point.ppn, place.point.ranks);
}

}  // namespace

void DropContradictedPlaces(std::vector<PlacedTime>* places) {
  std::vector<PlacedTime>& all = *places;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple_cat(Job(all[a]), std::tuple(all[a].point.block_bytes)) <
           std::tuple_cat(Job(all[b]), std::tuple(all[b].point.block_bytes));
  });
  std::vector<double> log_bytes(all.size());
  std::transform(all.begin(), all.end(), log_bytes.begin(),
                 [](const PlacedTime& place) { return std::log(place.point.block_bytes + 1); });
  // How much is for a place, less what is against it.
  std::vector<double> standing(all.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const PlacedTime& smaller = all[order[i]];
    standing[order[i]] += smaller.observations;
    for (size_t j = i + 1; j < order.size(); ++j) {
      const PlacedTime& larger = all[order[j]];
      const double most = log_bytes[order[j]] - log_bytes[order[i]];
      if (Job(larger) != Job(smaller) || most > kAround) break;
      const double growth = larger.log_time - smaller.log_time;
      const bool contradict = growth < -kBeyondReason || growth > most + kBeyondReason;
      const double sign = contradict ? -1 : 1;
      standing[order[i]] += sign * larger.observations;
      standing[order[j]] += sign * smaller.observations;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (standing[i] >= 0) all[kept++] = all[i];
  }
  all.resize(kept);
}

}  // namespace cox::learn
