#include "learn/correct/trust/reporters.h"

#include <iterator>

namespace cox::learn {
namespace {

// Of two calls of the same reporter that reporter; else 0.
int64_t Both(int64_t one, int64_t other) { return one == other ? one : 0; }

bool HasShape(const std::tuple<int64_t, int64_t, int64_t, int64_t>& place, int64_t nodes,
              int64_t ppn, int64_t ranks) {
  const auto& [of_nodes, of_ppn, of_ranks, block_bytes] = place;
  return of_nodes == nodes && of_ppn == ppn && of_ranks == ranks;
}

}  // namespace

void Reporters::Add(const domain::ScenarioKey& call, int64_t only_reporter) {
  of_all_ = places_.empty() ? only_reporter : Both(of_all_, only_reporter);
  has_one_ = has_one_ || only_reporter != 0;
  const auto [place, is_new] =
      places_.try_emplace(Place(call.nodes, call.ppn, call.ranks, call.block_bytes), only_reporter);
  if (!is_new) place->second = Both(place->second, only_reporter);
}

bool Reporters::IsOneAt(int64_t nodes, int64_t ppn, int64_t ranks, int64_t block_bytes) const {
  if (!has_one_) return false;
  const auto from = places_.lower_bound(Place(nodes, ppn, ranks, block_bytes));
  const bool has_larger = from != places_.end() && HasShape(from->first, nodes, ppn, ranks);
  if (has_larger && std::get<3>(from->first) == block_bytes) return from->second != 0;
  const bool has_smaller =
      from != places_.begin() && HasShape(std::prev(from)->first, nodes, ppn, ranks);
  if (has_larger && has_smaller) return Both(from->second, std::prev(from)->second) != 0;
  if (has_larger) return from->second != 0;
  if (has_smaller) return std::prev(from)->second != 0;
  return of_all_ != 0;
}

}  // namespace cox::learn
