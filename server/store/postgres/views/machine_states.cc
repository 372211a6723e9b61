#include "store/postgres/views/machine_states.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/drift_rows.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/views/whole_job.h"

namespace cox::store::postgres {
namespace {

absl::Status ReadState(Session& session, MachineState* state) {
  Query query(
      session,
      "SELECT coalesce(p.revision, 0), coalesce(p.create_time_us, 0),"
      " (SELECT count(*) FROM drift WHERE machine_id = m.machine_id),"
      " coalesce((SELECT at_us FROM observation WHERE machine_id = m.machine_id"
      "   ORDER BY observation_id DESC LIMIT 1),"
      "  (SELECT last_us FROM old_sum WHERE machine_id = m.machine_id ORDER BY last_id DESC LIMIT "
      "1))"
      " FROM machine m LEFT JOIN LATERAL (SELECT revision, create_time_us FROM profile"
      "   WHERE machine_id = m.machine_id AND m.pinned_revision IN (0, revision)"
      "   ORDER BY revision DESC LIMIT 1) p ON true"
      " WHERE m.name = $1");
  query.Bind(absl::string_view(state->machine.name));
  if (!query.Next()) return query.status();
  state->revision = query.Int(0);
  state->profile_time_us = query.Int(1);
  state->drift_count = query.Int(2);
  if (!query.IsNull(3)) state->last_observation_time_us = query.Int(3);
  return query.Run();
}

absl::Status ReadReports(Session& session, MachineState* state) {
  Query query(session,
              absl::StrCat("SELECT coalesce(sum(c.observation_count), 0)::bigint,"
                           " coalesce(sum(c.dropped_count), 0)::bigint, count(DISTINCT nullif(",
                           kWholeJob,
                           ", '')) FROM report_count c JOIN job j USING (job_id)"
                           " JOIN machine m USING (machine_id) WHERE m.name = $1"));
  query.Bind(absl::string_view(state->machine.name));
  if (!query.Next()) return query.status();
  state->count = {query.Int(0), query.Int(1)};
  state->job_count = query.Int(2);
  return query.Run();
}

absl::Status ReadLastDrift(Session& session, MachineState* state) {
  if (state->drift_count == 0) return absl::OkStatus();
  auto drifts = ReadDrifts(session, state->machine.name, 0, 1);
  if (!drifts.ok()) return drifts.status();
  if (!drifts->empty()) state->last_drift = std::move(drifts->front());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MachineState>> ReadMachineStates(Session& session,
                                                            absl::string_view after, int64_t limit,
                                                            StateDetail detail) {
  absl::StatusOr<std::vector<MachineRecord>> machines = ReadMachines(session, after, limit);
  if (!machines.ok()) return machines.status();
  std::vector<MachineState> states;
  for (MachineRecord& machine : *machines) {
    MachineState& state = states.emplace_back();
    state.machine = std::move(machine);
    absl::Status status = ReadState(session, &state);
    if (status.ok() && detail == StateDetail::kWithReports) status = ReadReports(session, &state);
    if (status.ok()) status = ReadLastDrift(session, &state);
    if (!status.ok()) return status;
  }
  return states;
}

}  // namespace cox::store::postgres
