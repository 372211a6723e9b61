#include "store/postgres/rows/machine_rows.h"

#include "absl/strings/str_cat.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/retention/old_sums.h"
#include "store/postgres/rows/report_counts.h"
#include "store/row_readers.h"
#include "store/words.h"

namespace cox::store::postgres {
namespace {

constexpr const char* kMachineColumns =
    "SELECT name, nodes, cores_per_node, topology_kind, topology_dims, create_time_us,"
    " pinned_revision,"
    " (SELECT provenance FROM profile WHERE machine_id = machine.machine_id AND revision ="
    "  CASE machine.pinned_revision"
    "   WHEN 0 THEN (SELECT max(revision) FROM profile WHERE machine_id = machine.machine_id)"
    "   ELSE machine.pinned_revision END), relearn_from_id"
    " FROM machine ";

// 0: there is none.
absl::StatusOr<int64_t> FindDueMachine(Session& session, int64_t now_us) {
  return Query(session,
               "SELECT machine_id FROM machine LEFT JOIN deleted_machine d USING (machine_id)"
               " WHERE machine.name IS NULL AND coalesce(d.delete_time_us, 0) <= $1 LIMIT 1")
      .Bind(now_us - kDeletedRestUs)
      .Number();
}

}  // namespace

absl::StatusOr<int64_t> FindMachineId(Session& session, absl::string_view name) {
  Query query(session, "SELECT machine_id FROM machine WHERE name = $1");
  query.Bind(name);
  if (query.Next()) return query.Int(0);
  return query.status().ok() ? UnknownMachine(name) : query.status();
}

absl::Status InsertMachine(Session& session, const MachineRecord& machine) {
  Query insert(session,
               "INSERT INTO machine (name, nodes, cores_per_node, topology_kind, topology_dims,"
               " create_time_us) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING");
  insert.Bind(absl::string_view(machine.name)).Bind(machine.nodes).Bind(machine.cores_per_node);
  insert.Bind(absl::string_view(machine.topology_kind));
  insert.Bind(absl::string_view(machine.topology_dims)).Bind(machine.create_time_us);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  return insert.ChangedRowCount() == 1 ? absl::OkStatus() : KnownMachine(machine.name);
}

absl::StatusOr<bool> NotePublishedMachine(Session& session, absl::string_view name) {
  Query note(session, "INSERT INTO published_machine VALUES ($1) ON CONFLICT DO NOTHING");
  note.Bind(name);
  if (absl::Status status = note.Run(); !status.ok()) return status;
  return note.ChangedRowCount() == 1;
}

absl::StatusOr<MachineRecord> ReadMachine(Session& session, absl::string_view name) {
  Query query(session, absl::StrCat(kMachineColumns, "WHERE name = $1"));
  query.Bind(name);
  if (query.Next()) return MachineOf(query);
  return query.status().ok() ? UnknownMachine(name) : query.status();
}

absl::StatusOr<std::vector<MachineRecord>> ReadMachines(Session& session, absl::string_view after,
                                                        int64_t limit) {
  Query query(session, absl::StrCat(kMachineColumns, "WHERE name > $1 ORDER BY name LIMIT $2"));
  query.Bind(after).Bind(limit);
  std::vector<MachineRecord> machines;
  while (query.Next()) machines.push_back(MachineOf(query));
  if (!query.status().ok()) return query.status();
  return machines;
}

absl::Status WriteSwitches(Session& session, absl::string_view machine, absl::string_view text,
                           int64_t now_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  if (text.empty()) {
    Query forget(session, "DELETE FROM machine_switches WHERE machine_id = $1");
    return forget.Bind(*machine_id).Run();
  }
  Query insert(session,
               "INSERT INTO machine_switches (machine_id, topology_conf, change_time_us)"
               " VALUES ($1, $2, $3) ON CONFLICT (machine_id) DO UPDATE SET"
               " topology_conf = excluded.topology_conf,"
               " change_time_us = excluded.change_time_us");
  return insert.Bind(*machine_id).Bind(text).Bind(now_us).Run();
}

absl::StatusOr<std::string> ReadSwitches(Session& session, absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session, "SELECT topology_conf FROM machine_switches WHERE machine_id = $1");
  query.Bind(*machine_id);
  std::string text = query.Next() ? query.Text(0) : "";
  if (!query.status().ok()) return query.status();
  return text;
}

absl::Status HideMachine(Session& session, absl::string_view name, int64_t now_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, name);
  if (!machine_id.ok()) return machine_id.status();
  Query rest(session,
             "INSERT INTO deleted_machine (machine_id, name, delete_time_us) VALUES ($1, $2, $3)");
  rest.Bind(*machine_id).Bind(name).Bind(now_us);
  if (absl::Status status = rest.Run(); !status.ok()) return status;
  Query hide(session, "UPDATE machine SET name = NULL WHERE machine_id = $1");
  if (absl::Status status = hide.Bind(*machine_id).Run(); !status.ok()) return status;
  return NoteRewrite(session);
}

absl::Status ShowMachine(Session& session, absl::string_view name, int64_t now_us) {
  const absl::StatusOr<int64_t> taken = FindMachineId(session, name);
  if (taken.ok()) return NameIsTaken(name);
  if (!absl::IsNotFound(taken.status())) return taken.status();
  Query query(session,
              "SELECT machine_id FROM deleted_machine WHERE name = $1 AND delete_time_us > $2"
              " ORDER BY delete_time_us DESC, machine_id DESC LIMIT 1");
  const absl::StatusOr<int64_t> machine_id =
      query.Bind(name).Bind(now_us - kDeletedRestUs).Number();
  if (!machine_id.ok()) return machine_id.status();
  if (*machine_id == 0) return UnknownDeletedMachine(name);
  Query show(session, "UPDATE machine SET name = $1 WHERE machine_id = $2");
  if (absl::Status status = show.Bind(name).Bind(*machine_id).Run(); !status.ok()) return status;
  Query forget(session, "DELETE FROM deleted_machine WHERE machine_id = $1");
  if (absl::Status status = forget.Bind(*machine_id).Run(); !status.ok()) return status;
  return NoteRewrite(session);
}

absl::StatusOr<bool> PurgeStep(Session& session, int64_t now_us) {
  const absl::StatusOr<int64_t> due = FindDueMachine(session, now_us);
  if (!due.ok()) return due.status();
  if (*due == 0) return false;
  const int64_t machine_id = *due;
  // From the first step on there is no way back.
  Query forget(session, "DELETE FROM deleted_machine WHERE machine_id = $1");
  if (absl::Status status = forget.Bind(machine_id).Run(); !status.ok()) return status;
  Query rows(session,
             "DELETE FROM observation WHERE observation_id IN (SELECT observation_id"
             " FROM observation WHERE machine_id = $1 ORDER BY observation_id LIMIT $2)");
  if (absl::Status status = rows.Bind(machine_id).Bind(kPurgeRows).Run(); !status.ok()) {
    return status;
  }
  if (rows.ChangedRowCount() > 0) return true;
  absl::StatusOr<bool> had_sums = RemoveSomeOldSums(session, machine_id, kPurgeRows);
  if (!had_sums.ok() || *had_sums) return had_sums;
  if (absl::Status status = ForgetMachineReports(session, machine_id); !status.ok()) return status;
  if (absl::Status status = MakeCellChanges(session); !status.ok()) return status;
  // Children before parents; parameters go with their profile, evidence with its drift.
  constexpr char kCells[] =
      "DELETE FROM cell WHERE scenario_id IN"
      " (SELECT scenario_id FROM scenario WHERE machine_id = $1)";
  for (const char* const sql :
       {kCells, "DELETE FROM drift WHERE machine_id = $1",
        "DELETE FROM withdrawal WHERE machine_id = $1",
        "DELETE FROM scenario WHERE machine_id = $1", "DELETE FROM profile WHERE machine_id = $1",
        "DELETE FROM machine WHERE machine_id = $1"}) {
    Query remove(session, sql);
    if (absl::Status status = remove.Bind(machine_id).Run(); !status.ok()) return status;
  }
  return true;
}

absl::Status NoteRewrite(Session& session) {
  return Query(session, "UPDATE next_id SET rewrite_count = rewrite_count + 1").Run();
}

}  // namespace cox::store::postgres
