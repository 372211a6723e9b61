#include "learn/kind_offset.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cox::learn {
namespace {

constexpr double kBeliefInNone = 2;

}  // namespace

KindOffsets KindOffsets::Build(absl::Span<const PreparedCell> cells) {
  std::map<Call, double> benchmarks;
  for (const PreparedCell& cell : cells) {
    if (cell.cell->kind == CellKind::kBenchmark) {
      benchmarks[CallOf(*cell.cell, cell.cell->algorithm)] = cell.cell->mean_log_time;
    }
  }
  std::map<std::pair<absl::string_view, absl::string_view>, std::vector<double>> differences;
  for (const PreparedCell& cell : cells) {
    if (cell.cell->kind != CellKind::kJob) continue;
    const auto found = benchmarks.find(CallOf(*cell.cell, cell.cell->algorithm));
    if (found == benchmarks.end()) continue;
    differences[{cell.cell->library, cell.cell->collective}].push_back(cell.cell->mean_log_time -
                                                                       found->second);
  }
  KindOffsets offsets;
  for (auto& [names, values] : differences) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const auto count = static_cast<double>(values.size());
    offsets.offsets_[names] = -*middle * count / (count + kBeliefInNone);
  }
  return offsets;
}

double KindOffsets::For(const Cell& cell) const {
  if (cell.kind != CellKind::kJob) return 0;
  const auto found = offsets_.find({cell.library, cell.collective});
  return found == offsets_.end() ? 0 : found->second;
}

}  // namespace cox::learn
