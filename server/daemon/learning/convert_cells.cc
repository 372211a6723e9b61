#include "daemon/learning/convert_cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cox::daemon {
namespace {

learn::Cell KeyOf(const domain::ScenarioKey& key, domain::CellKind kind) {
  learn::Cell cell;
  static_cast<domain::ScenarioKey&>(cell) = key;
  cell.kind = kind;
  return cell;
}

}  // namespace

learn::RobustLocation LocationOf(const store::Cell& cell) {
  std::vector<learn::LogBin> bins;
  bins.reserve(cell.bins.size());
  for (const store::CellBin& bin : cell.bins) {
    const auto count = static_cast<double>(bin.count);
    const double offset = static_cast<double>(bin.offset_sum) / count;
    const double squares = static_cast<double>(bin.square_sum) - offset * offset * count;
    bins.push_back({.log_time = static_cast<double>(bin.index) / store::kBinsPerE +
                                offset / store::kOffsetsPerE,
                    .count = count,
                    .squares = std::max(0.0, squares) /
                               (static_cast<double>(store::kOffsetsPerE) * store::kOffsetsPerE)});
  }
  return learn::LocationOf(bins);
}

learn::Cell ToCell(const store::CellRecord& record) {
  learn::Cell cell = KeyOf(record.scenario, record.kind);
  const learn::RobustLocation location = LocationOf(record.cell);
  cell.weight = static_cast<double>(record.cell.weight) * location.share;
  cell.observations = static_cast<double>(record.cell.observation_count) * location.share;
  cell.mean_log_time = location.log_time;
  cell.variance_log_time = location.variance;
  cell.only_reporter = store::OnlyReporter(record.cell);
  return cell;
}

learn::Cell ToCell(const store::ObservationRecord& record) {
  learn::Cell cell = KeyOf(record.scenario, record.kind);
  cell.weight = static_cast<double>(record.count);
  cell.mean_log_time = std::log(record.time_s);
  return cell;
}

}  // namespace cox::daemon
