#include "learn/correct/behind.h"

#include <cmath>
#include <tuple>

namespace cox::learn {
namespace {

struct AtMostRanks {
  int64_t ranks = 0;
  bool is_behind = false;
};

}  // namespace

void Behind::Add(absl::string_view algorithm, int64_t block_bytes, int64_t ranks) {
  ranks_[algorithm][block_bytes] = ranks;
}

int64_t Behind::At(absl::string_view algorithm, int64_t block_bytes) const {
  const auto sizes = ranks_.find(algorithm);
  if (sizes == ranks_.end()) return 0;
  const auto found = sizes->second.find(block_bytes);
  return found == sizes->second.end() ? 0 : found->second;
}

std::map<std::pair<absl::string_view, absl::string_view>, Behind> FindBehind(
    absl::Span<const PreparedCell> cells) {
  std::map<TimedCall, double> defaults;  // ln(time)
  for (const PreparedCell& one : cells) {
    if (one.algorithm != kDefaultAlgorithm) continue;
    defaults[TimedCallOf(*one.cell, "")] = one.cell->mean_log_time;
  }
  // library, collective, algorithm, block_bytes
  std::map<std::tuple<absl::string_view, absl::string_view, absl::string_view, int64_t>,
           AtMostRanks>
      compared;
  for (const PreparedCell& one : cells) {
    if (one.algorithm == kDefaultAlgorithm) continue;
    const auto of_default = defaults.find(TimedCallOf(*one.cell, ""));
    if (of_default == defaults.end()) continue;
    const Cell& cell = *one.cell;
    const bool is_behind = cell.mean_log_time - of_default->second > std::log(Behind::kTolerance);
    AtMostRanks& most = compared[{cell.library, cell.collective, one.algorithm, cell.block_bytes}];
    if (cell.ranks > most.ranks) {
      most = {cell.ranks, is_behind};
    } else if (cell.ranks == most.ranks) {
      most.is_behind = most.is_behind && is_behind;
    }
  }
  std::map<std::pair<absl::string_view, absl::string_view>, Behind> behind;
  for (const auto& [key, most] : compared) {
    const auto& [library, collective, algorithm, block_bytes] = key;
    if (most.is_behind) behind[{library, collective}].Add(algorithm, block_bytes, most.ranks);
  }
  return behind;
}

}  // namespace cox::learn
