#include "daemon/learning/contradicted_times.h"

#include <algorithm>
#include <cmath>

#include "daemon/learning/convert_cells.h"

namespace cox::daemon {

ContradictedTimes::ContradictedTimes(const std::vector<store::CellRecord>& cells,
                                     absl::Span<const domain::Drift> drifts)
    : drifts_(drifts) {
  for (const store::CellRecord& record : cells) {
    known_[Key{&record.scenario, record.kind, record.epoch}] = {
        .count = static_cast<double>(record.cell.observation_count),
        .location = LocationOf(record.cell)};
  }
}

bool ContradictedTimes::Contain(const store::ObservationRecord& observation) const {
  const domain::ScenarioKey& scenario = observation.scenario;
  const auto epoch = std::count_if(drifts_.begin(), drifts_.end(), [&](const auto& drift) {
    return drift.first_id <= observation.id &&
           drift.scope.Holds(scenario.library, scenario.collective, scenario.nodes,
                             scenario.block_bytes);
  });
  const auto it = known_.find(Key{&scenario, observation.kind, epoch});
  return it != known_.end() &&
         learn::IsContradicted(it->second.location, it->second.count, std::log(observation.time_s));
}

}  // namespace cox::daemon
