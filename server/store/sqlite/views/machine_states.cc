#include "store/sqlite/views/machine_states.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sqlite/drift_table.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/views/whole_job.h"

namespace cox::store {
namespace {

absl::Status ReadActiveProfile(Database& db, int64_t machine_id, MachineState* state) {
  const int64_t pinned = state->machine.pinned_revision;
  Query query(db, pinned != 0 ? "SELECT revision, create_time_us FROM profile"
                                " WHERE machine_id = ? AND revision = ?"
                              : "SELECT revision, create_time_us FROM profile"
                                " WHERE machine_id = ? ORDER BY revision DESC LIMIT 1");
  query.Bind(machine_id);
  if (pinned != 0) query.Bind(pinned);
  if (query.Next()) {
    state->revision = query.Int(0);
    state->profile_time_us = query.Int(1);
  }
  return query.status();
}

absl::Status ReadReports(Database& db, int64_t machine_id, MachineState* state) {
  Query query(db,
              absl::StrCat(
                  "SELECT coalesce(sum(r.observation_count), 0), coalesce(sum(r.dropped_count), 0),"
                  " count(DISTINCT nullif(",
                  kWholeJob,
                  ", '')) FROM report_count r JOIN job j USING (job_id) WHERE r.machine_id = ?"));
  query.Bind(machine_id);
  if (query.Next()) {
    state->count = {query.Int(0), query.Int(1)};
    state->job_count = query.Int(2);
  }
  return query.status();
}

absl::Status ReadLastObservation(Database& db, int64_t machine_id, MachineState* state) {
  Query query(db,
              "SELECT coalesce((SELECT at_us FROM observation WHERE machine_id = ?1"
              "  ORDER BY observation_id DESC LIMIT 1),"
              " (SELECT last_us FROM old_sum WHERE machine_id = ?1"
              "  ORDER BY old_sum_id DESC LIMIT 1)) AS at_us WHERE at_us IS NOT NULL");
  query.Bind(machine_id);
  if (query.Next()) state->last_observation_time_us = query.Int(0);
  return query.status();
}

absl::Status ReadLastDrift(Database& db, int64_t machine_id, MachineState* state) {
  Query query(db, "SELECT count(*) FROM drift WHERE machine_id = ?");
  query.Bind(machine_id);
  if (query.Next()) state->drift_count = query.Int(0);
  if (!query.status().ok() || state->drift_count == 0) return query.status();
  absl::StatusOr<std::vector<domain::Drift>> drifts = ReadDrifts(db, state->machine.name, 0, 1);
  if (!drifts.ok()) return drifts.status();
  if (!drifts->empty()) state->last_drift = std::move(drifts->front());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MachineState>> ReadMachineStates(Database& db, absl::string_view after,
                                                            int64_t limit, StateDetail detail) {
  absl::StatusOr<std::vector<MachineRecord>> machines = ReadMachines(db, after, limit);
  if (!machines.ok()) return machines.status();
  std::vector<MachineState> states;
  for (MachineRecord& machine : *machines) {
    MachineState& state = states.emplace_back();
    state.machine = std::move(machine);
    const absl::StatusOr<int64_t> machine_id = FindMachineId(db, state.machine.name);
    if (!machine_id.ok()) return machine_id.status();
    for (const auto read : {ReadActiveProfile, ReadReports, ReadLastObservation, ReadLastDrift}) {
      if (read == ReadReports && detail == StateDetail::kWithoutReports) continue;
      if (absl::Status status = read(db, *machine_id, &state); !status.ok()) return status;
    }
  }
  return states;
}

}  // namespace cox::store
