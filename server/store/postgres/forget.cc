#include "store/postgres/forget.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/retention/old_sums.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/withdrawal_rows.h"
#include "store/steps/findings.h"

namespace cox::store::postgres {
namespace {

constexpr const char* kRowsOf =
    " batch b JOIN observation o ON o.observation_id BETWEEN b.batch_id"
    " AND b.batch_id + b.id_count - 1 ";

// A machine and its first observation among those that go.
struct Affected {
  int64_t machine_id;
  std::string name;  // "": its rest has ended
  bool is_deleted;
  int64_t first_id;
};

absl::StatusOr<std::vector<Affected>> FindAffected(Session& session, const std::string& whose,
                                                   int64_t id) {
  Query query(session,
              absl::StrCat("SELECT machine_id, coalesce(m.name, d.name, ''),"
                           " CASE WHEN m.name IS NULL THEN 1 ELSE 0 END::bigint,"
                           " min(first_id) FROM"
                           " (SELECT o.machine_id, min(o.observation_id) AS first_id FROM",
                           kRowsOf, "WHERE b.", whose,
                           " GROUP BY o.machine_id UNION ALL SELECT machine_id, min(first_id)"
                           " FROM old_sum WHERE ",
                           whose,
                           " GROUP BY machine_id) f JOIN machine m USING (machine_id)"
                           " LEFT JOIN deleted_machine d USING (machine_id)"
                           " GROUP BY machine_id, m.name, d.name ORDER BY machine_id"));
  query.Bind(id);
  std::vector<Affected> affected;
  while (query.Next())
    affected.push_back({query.Int(0), query.Text(1), query.Int(2) != 0, query.Int(3)});
  if (!query.status().ok()) return query.status();
  return affected;
}

absl::Status TakeOutOfCells(Session& session, const std::string& whose, int64_t id) {
  CellSums sums;
  {
    Query rows(session, absl::StrCat("SELECT ", TimingColumns(), " FROM", kRowsOf,
                                     "JOIN scenario s USING (scenario_id) WHERE b.", whose));
    if (absl::Status status = SumUp(rows.Bind(id).Stream(), sums); !status.ok()) return status;
  }
  if (absl::Status status = AddOldSums(session, whose, id, sums); !status.ok()) return status;
  return TakeOut(session, sums);
}

// From the report counts, for the rows that say which machine it was may be summed up.
absl::Status UndoDropped(Session& session, const std::string& whose, int64_t id) {
  for (const char* const table : {"job", "machine"}) {
    const std::string key = absl::StrCat(table, "_id");
    Query undo(session, absl::StrCat("UPDATE ", table,
                                     " SET dropped_count = dropped_count - d.dropped FROM"
                                     " (SELECT ",
                                     key, " AS id, sum(dropped_count)::bigint AS dropped",
                                     " FROM report_count WHERE ", whose, " GROUP BY ", key,
                                     ") d WHERE ", key, " = d.id AND d.dropped > 0"));
    if (absl::Status status = undo.Bind(id).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

using Removal = FindingRemoval<Query, Session>;
constexpr FindingConditions kConditions = {.drift = kDriftIsAbout,
                                           .withdrawal = kWithdrawalIsAbout};

// Before the reports go.
absl::StatusOr<std::map<int64_t, Removal>> FindFindings(Session& session,
                                                        const std::vector<Affected>& machines,
                                                        const std::string& column, int64_t id) {
  std::map<int64_t, Removal> removals;
  for (const Affected& machine : machines) {
    Removal removal(session, kConditions, machine.machine_id);
    if (absl::Status status = removal.Find(column, id); !status.ok()) return status;
    removals.emplace(machine.machine_id, std::move(removal));
  }
  return removals;
}

// After they went. The parameters still contain what was removed. The daemon may end before it has
// learned again, and a deleted machine may come back: so a note says that it has to.
absl::Status RemoveFindings(Session& session, std::map<int64_t, Removal>& removals) {
  for (auto& [machine_id, removal] : removals) {
    absl::Status status = removal.Remove();
    if (status.ok() && removal.removed_drift_count() > 0) {
      status = RebuildCells(session, machine_id);
    }
    if (status.ok()) status = NoteRelearning(session, machine_id, removal);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Forgotten> RemoveReports(Session& session, const Reporter& reporter) {
  Forgotten forgotten;
  // Reports without a name have no common reporter.
  if (reporter.name.empty()) return forgotten;
  const std::string table = reporter.kind == Reporter::Kind::kJob ? "job" : "source";
  const absl::StatusOr<int64_t> id =
      Query(session, absl::StrCat("SELECT ", table, "_id FROM ", table, " WHERE name = $1"))
          .Bind(absl::string_view(reporter.name))
          .Number();
  if (!id.ok()) return id.status();
  if (*id == 0) return forgotten;
  const std::string whose = absl::StrCat(table, "_id = $1");
  const absl::StatusOr<std::vector<Affected>> machines = FindAffected(session, whose, *id);
  if (!machines.ok()) return machines.status();
  absl::StatusOr<std::map<int64_t, Removal>> removals =
      FindFindings(session, *machines, absl::StrCat(table, "_id"), *id);
  if (!removals.ok()) return removals.status();
  absl::Status status = TakeOutOfCells(session, whose, *id);
  if (status.ok()) status = UndoDropped(session, whose, *id);
  if (!status.ok()) return status;
  Query rows(session, absl::StrCat("DELETE FROM observation o USING batch b WHERE b.", whose,
                                   " AND o.observation_id BETWEEN b.batch_id"
                                   " AND b.batch_id + b.id_count - 1"));
  if (status = rows.Bind(*id).Run(); !status.ok()) return status;
  const absl::StatusOr<int64_t> removed_sums = RemoveOldSums(session, whose, *id);
  if (!removed_sums.ok()) return removed_sums.status();
  forgotten.removed_count = rows.ChangedRowCount() + *removed_sums;
  if (status = RemoveFindings(session, *removals); !status.ok()) return status;
  for (const Affected& machine : *machines) {
    if (machine.name.empty()) continue;
    if (machine.is_deleted) {
      forgotten.deleted_machines.push_back(machine.name);
    } else {
      forgotten.machines.push_back({machine.name, machine.first_id});
    }
  }
  Query sketches(session, absl::StrCat("DELETE FROM pattern_sketch WHERE ", whose));
  if (status = sketches.Bind(*id).Run(); !status.ok()) return status;
  forgotten.removed_sketch_count = sketches.ChangedRowCount();
  for (const std::string& sql : {absl::StrCat("DELETE FROM report_count WHERE ", whose),
                                 absl::StrCat("DELETE FROM batch WHERE ", whose),
                                 absl::StrCat("DELETE FROM ", table, " WHERE ", whose)}) {
    if (status = Query(session, sql).Bind(*id).Run(); !status.ok()) return status;
  }
  if (status = NoteRewrite(session); !status.ok()) return status;
  return forgotten;
}

}  // namespace cox::store::postgres
