#include "store/sqlite/machine_table.h"

#include "absl/strings/str_cat.h"
#include "store/row_readers.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/retention/old_sums.h"
#include "store/words.h"

namespace cox::store {
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
absl::StatusOr<int64_t> FindDueMachine(Database& db, int64_t now_us) {
  Query query(db,
              "SELECT machine_id FROM machine LEFT JOIN deleted_machine d USING (machine_id)"
              " WHERE machine.name IS NULL AND coalesce(d.delete_time_us, 0) <= ? LIMIT 1");
  query.Bind(now_us - kDeletedRestUs);
  const int64_t machine_id = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return machine_id;
}

}  // namespace

absl::StatusOr<int64_t> FindMachineId(Database& db, absl::string_view name) {
  Query query(db, "SELECT machine_id FROM machine WHERE name = ?");
  query.Bind(name);
  if (query.Next()) return query.Int(0);
  return query.status().ok() ? UnknownMachine(name) : query.status();
}

absl::Status InsertMachine(Database& db, const MachineRecord& machine) {
  Query insert(db,
               "INSERT INTO machine (name, nodes, cores_per_node, topology_kind, topology_dims,"
               " create_time_us) VALUES (?, ?, ?, ?, ?, ?)");
  insert.Bind(absl::string_view(machine.name)).Bind(machine.nodes).Bind(machine.cores_per_node);
  insert.Bind(absl::string_view(machine.topology_kind));
  insert.Bind(absl::string_view(machine.topology_dims)).Bind(machine.create_time_us);
  absl::Status status = insert.Run();
  if (absl::IsAlreadyExists(status)) {
    return KnownMachine(machine.name);
  }
  return status;
}

absl::StatusOr<bool> NotePublishedMachine(Database& db, absl::string_view name) {
  Query note(db, "INSERT OR IGNORE INTO published_machine (name) VALUES (?)");
  note.Bind(name);
  if (absl::Status status = note.Run(); !status.ok()) return status;
  return db.ChangedRowCount() == 1;
}

absl::StatusOr<MachineRecord> ReadMachine(Database& db, absl::string_view name) {
  Query query(db, absl::StrCat(kMachineColumns, "WHERE name = ?"));
  query.Bind(name);
  if (query.Next()) return MachineOf(query);
  return query.status().ok() ? UnknownMachine(name) : query.status();
}

absl::StatusOr<std::vector<MachineRecord>> ReadMachines(Database& db, absl::string_view after,
                                                        int64_t limit) {
  Query query(db, absl::StrCat(kMachineColumns, "WHERE name > ? ORDER BY name LIMIT ?"));
  query.Bind(after).Bind(limit);
  std::vector<MachineRecord> machines;
  while (query.Next()) machines.push_back(MachineOf(query));
  if (!query.status().ok()) return query.status();
  return machines;
}

absl::Status WriteSwitches(Database& db, absl::string_view machine, absl::string_view text,
                           int64_t now_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query forget(db, "DELETE FROM machine_switches WHERE machine_id = ?");
  forget.Bind(*machine_id);
  if (absl::Status status = forget.Run(); !status.ok() || text.empty()) return status;
  Query insert(db,
               "INSERT INTO machine_switches (machine_id, topology_conf, change_time_us)"
               " VALUES (?, ?, ?)");
  insert.Bind(*machine_id).Bind(text).Bind(now_us);
  return insert.Run();
}

absl::StatusOr<std::string> ReadSwitches(Database& db, absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db, "SELECT topology_conf FROM machine_switches WHERE machine_id = ?");
  query.Bind(*machine_id);
  std::string text = query.Next() ? query.Text(0) : "";
  if (!query.status().ok()) return query.status();
  return text;
}

absl::Status HideMachine(Database& db, absl::string_view name, int64_t now_us) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, name);
  if (!machine_id.ok()) return machine_id.status();
  Query rest(db, "INSERT INTO deleted_machine (machine_id, name, delete_time_us) VALUES (?, ?, ?)");
  rest.Bind(*machine_id).Bind(name).Bind(now_us);
  if (absl::Status status = rest.Run(); !status.ok()) return status;
  Query hide(db, "UPDATE machine SET name = NULL WHERE machine_id = ?");
  hide.Bind(*machine_id);
  return hide.Run();
}

absl::Status ShowMachine(Database& db, absl::string_view name, int64_t now_us) {
  if (FindMachineId(db, name).ok()) return NameIsTaken(name);
  int64_t machine_id = 0;
  {
    Query query(db,
                "SELECT machine_id FROM deleted_machine WHERE name = ? AND delete_time_us > ?"
                " ORDER BY delete_time_us DESC, machine_id DESC LIMIT 1");
    query.Bind(name).Bind(now_us - kDeletedRestUs);
    if (!query.Next()) {
      return query.status().ok() ? UnknownDeletedMachine(name) : query.status();
    }
    machine_id = query.Int(0);
  }
  Query show(db, "UPDATE machine SET name = ? WHERE machine_id = ?");
  show.Bind(name).Bind(machine_id);
  if (absl::Status status = show.Run(); !status.ok()) return status;
  Query forget(db, "DELETE FROM deleted_machine WHERE machine_id = ?");
  forget.Bind(machine_id);
  return forget.Run();
}

absl::StatusOr<bool> HasDueMachine(Database& db, int64_t now_us) {
  const absl::StatusOr<int64_t> machine_id = FindDueMachine(db, now_us);
  if (!machine_id.ok()) return machine_id.status();
  return *machine_id != 0;
}

absl::StatusOr<bool> PurgeStep(Database& db, int64_t now_us) {
  const absl::StatusOr<int64_t> due = FindDueMachine(db, now_us);
  if (!due.ok()) return due.status();
  if (*due == 0) return false;
  const int64_t machine_id = *due;
  // From the first step on there is no way back.
  Query forget(db, "DELETE FROM deleted_machine WHERE machine_id = ?");
  forget.Bind(machine_id);
  if (absl::Status status = forget.Run(); !status.ok()) return status;
  Query rows(
      db,
      "DELETE FROM observation WHERE observation_id IN (SELECT observation_id FROM observation"
      " WHERE machine_id = ? ORDER BY observation_id LIMIT ?)");
  rows.Bind(machine_id).Bind(kPurgeRows);
  if (absl::Status status = rows.Run(); !status.ok()) return status;
  if (db.ChangedRowCount() > 0) return true;
  absl::StatusOr<bool> had_sums = RemoveSomeOldSums(db, machine_id, kPurgeRows);
  if (!had_sums.ok() || *had_sums) return had_sums;
  // The id may be used again by a later machine.
  if (absl::Status status = ForgetMachineReports(db, machine_id); !status.ok()) return status;
  // Children before parents; parameters go with their profile, evidence with its drift.
  constexpr char kCells[] =
      "DELETE FROM cell WHERE scenario_id IN"
      " (SELECT scenario_id FROM scenario WHERE machine_id = ?)";
  for (const char* const sql :
       {kCells, "DELETE FROM drift WHERE machine_id = ?",
        "DELETE FROM withdrawal WHERE machine_id = ?", "DELETE FROM scenario WHERE machine_id = ?",
        "DELETE FROM profile WHERE machine_id = ?", "DELETE FROM machine WHERE machine_id = ?"}) {
    Query remove(db, sql);
    remove.Bind(machine_id);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
  }
  return true;
}

}  // namespace cox::store
