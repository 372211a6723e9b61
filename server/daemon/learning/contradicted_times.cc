#include "daemon/learning/contradicted_times.h"

#include <cmath>

#include "daemon/learning/convert_cells.h"

namespace cox::daemon {

ContradictedTimes::ContradictedTimes(const std::vector<store::CellRecord>& cells) {
  for (const store::CellRecord& record : cells) {
    Known& known = known_[Key{&record.scenario, record.kind}];
    if (record.epoch <= known.epoch) continue;
    known = {.epoch = record.epoch,
             .count = static_cast<double>(record.cell.observation_count),
             .location = LocationOf(record.cell)};
  }
}

bool ContradictedTimes::Contain(const store::ObservationRecord& observation) const {
  const auto it = known_.find(Key{&observation.scenario, observation.kind});
  return it != known_.end() &&
         learn::IsContradicted(it->second.location, it->second.count, std::log(observation.time_s));
}

}  // namespace cox::daemon
