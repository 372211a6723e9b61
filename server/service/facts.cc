#include "service/facts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "daemon/wall_clock.h"
#include "learn/accuracy.h"

namespace cox::service {
namespace {

std::optional<double> PredictionError(const advise::MachineView& view) {
  const std::vector<learn::AccuracyRow> rows = view.accuracy->Rows({});
  if (rows.empty() || rows.front().corrected.cell_count == 0) return std::nullopt;
  return rows.front().corrected.median;
}

}  // namespace

absl::StatusOr<Facts> ReadFacts(const daemon::Snapshot& machines, store::Store* store,
                                SavingsWatch* savings) {
  Facts facts;
  const absl::StatusOr<store::FileFacts> file = store->ReadFileFacts();
  if (!file.ok()) return file.status();
  facts.database_bytes = file->page_bytes * file->page_count + file->log_bytes;
  const absl::StatusOr<int64_t> last_id = store->LastObservationId();
  if (!last_id.ok()) return last_id.status();
  facts.observations_taken = *last_id;
  const absl::StatusOr<store::ObservationCount> count = store->CountObservations({});
  if (!count.ok()) return count.status();
  facts.observations_stored = count->observation_count;

  const auto states = store->ListMachineStates("", std::numeric_limits<int32_t>::max(),
                                               store::StateDetail::kWithoutReports, {});
  if (!states.ok()) return states.status();
  absl::flat_hash_map<std::string, int64_t> drifts;
  for (const store::MachineState& state : *states) drifts[state.machine.name] = state.drift_count;

  const int64_t now_us = daemon::NowMicros();
  const std::map<std::string, SavedTime> saved = savings->Read(*states, now_us);
  for (const auto& [name, view] : machines) {
    MachineFacts& machine = facts.machines.emplace_back();
    machine.name = name;
    machine.revision = view->revision;
    if (const auto it = drifts.find(name); it != drifts.end()) machine.drift_count = it->second;
    if (const auto it = saved.find(name); it != saved.end()) machine.saved = it->second;
    machine.prediction_error = PredictionError(*view);
    if (view->revision == 0) continue;
    const absl::StatusOr<store::ProfileRecord> profile = store->GetProfile(name, view->revision);
    // The machine may have gone since the snapshot.
    if (absl::IsNotFound(profile.status())) {
      facts.machines.pop_back();
      continue;
    }
    if (!profile.ok()) return profile.status();
    const int64_t age_us = std::max<int64_t>(0, now_us - profile->create_time_us);
    machine.profile_age_s = static_cast<double>(age_us) * 1e-6;
  }
  std::sort(facts.machines.begin(), facts.machines.end(),
            [](const MachineFacts& a, const MachineFacts& b) { return a.name < b.name; });
  return facts;
}

}  // namespace cox::service
