#include "daemon/learning/current_cells.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "daemon/learning/convert_cells.h"
#include "domain/cell_key.h"
#include "domain/drift.h"
#include "learn/drift.h"

namespace cox::daemon {
namespace {

// This many observations since a drift replace the older cell.
constexpr int64_t kEnough = 3;

// The factors of the drifts of a scenario, in order: as many as its present epoch.
std::vector<double> FactorsOf(const domain::ScenarioKey& key,
                              const std::vector<domain::Drift>& drifts) {
  std::vector<const domain::Drift*> about;
  for (const domain::Drift& drift : drifts) {
    if (drift.scope.Holds(key.library, key.collective, key.nodes, key.block_bytes)) {
      about.push_back(&drift);
    }
  }
  std::sort(about.begin(), about.end(),
            [](const auto* a, const auto* b) { return a->first_id < b->first_id; });
  std::vector<double> factors;
  factors.reserve(about.size());
  for (const domain::Drift* drift : about) factors.push_back(drift->log_factor);
  return factors;
}

}  // namespace

std::vector<learn::Cell> CurrentCells(const std::vector<store::CellRecord>& cells,
                                      const std::vector<domain::Drift>& drifts) {
  std::vector<learn::Cell> current;
  current.reserve(cells.size());
  if (drifts.empty()) {
    for (const store::CellRecord& record : cells) current.push_back(ToCell(record));
    return current;
  }
  absl::flat_hash_map<domain::CellKey, std::vector<const store::CellRecord*>> by_cell;
  std::vector<domain::CellKey> order;
  for (const store::CellRecord& record : cells) {
    domain::CellKey key{record.scenario, record.kind};
    auto& records = by_cell[key];
    if (records.empty()) order.push_back(std::move(key));
    records.push_back(&record);
  }
  for (const domain::CellKey& key : order) {
    auto& records = by_cell[key];
    std::sort(records.begin(), records.end(),
              [](const auto* a, const auto* b) { return a->epoch > b->epoch; });
    const std::vector<double> factors = FactorsOf(records.front()->scenario, drifts);
    const auto now = static_cast<int64_t>(factors.size());
    size_t next = 0;
    if (records[0]->epoch >= now) {
      current.push_back(ToCell(*records[0]));
      if (records[0]->cell.observation_count >= kEnough) continue;
      next = 1;
    }
    if (next == records.size()) continue;
    const store::CellRecord& older = *records[next];
    double log_factor = 0;
    for (int64_t epoch = older.epoch; epoch < now; ++epoch) {
      log_factor += factors[static_cast<size_t>(epoch)];
    }
    current.push_back(learn::AgedBy(log_factor, ToCell(older)));
  }
  return current;
}

}  // namespace cox::daemon
