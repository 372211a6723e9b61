#include "learn/kind_offset.h"

#include <cmath>
#include <vector>

#include "learn/median.h"

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
    const double median = MedianOf(values);
    for (double& value : values) value = std::abs(value - median);
    // The median of distances from a median, as a standard deviation of what is normal.
    const double sigma = 1.4826 * MedianOf(values);
    const double trust =
        static_cast<double>(values.size()) / (static_cast<double>(values.size()) + kBeliefInNone);
    offsets.offsets_[names] = {-median * trust, sigma * sigma * trust};
  }
  return offsets;
}

KindOffsets::Offset KindOffsets::Of(const Cell& cell) const {
  if (cell.kind != CellKind::kJob) return {};
  const auto found = offsets_.find({cell.library, cell.collective});
  return found == offsets_.end() ? Offset() : found->second;
}

double KindOffsets::For(const Cell& cell) const { return Of(cell).log_factor; }

double KindOffsets::VarianceOf(const Cell& cell) const { return Of(cell).variance; }

}  // namespace cox::learn
