#include "store/sqlite/forget.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/sqlite/cell_table.h"
#include "store/sqlite/guard/withdrawal_table.h"
#include "store/sqlite/retention/old_sums.h"
#include "store/steps/findings.h"

namespace cox::store {
namespace {

struct Batch {
  int64_t first_id;
  int64_t last_id;
};

// A number or 0.
absl::StatusOr<int64_t> IdOf(Database& db, const std::string& table, absl::string_view name) {
  Query query(db, absl::StrCat("SELECT ", table, "_id FROM ", table, " WHERE name = ?"));
  query.Bind(name);
  const int64_t id = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return id;
}

absl::StatusOr<std::vector<Batch>> BatchesOf(Database& db, const std::string& whose, int64_t id) {
  Query query(db, absl::StrCat("SELECT batch_id, id_count FROM batch WHERE ", whose));
  query.Bind(id);
  std::vector<Batch> batches;
  while (query.Next()) batches.push_back({query.Int(0), query.Int(0) + query.Int(1) - 1});
  if (!query.status().ok()) return query.status();
  return batches;
}

// Batch by batch: one statement for all of the rows would first list them in memory.
absl::Status SumUpBatches(Database& db, const std::vector<Batch>& batches, CellSums& sums) {
  for (const Batch& batch : batches) {
    Query rows(db, absl::StrCat("SELECT ", TimingColumns(),
                                " FROM batch b CROSS JOIN observation o CROSS JOIN scenario s"
                                " USING (scenario_id) WHERE b.batch_id = ?1"
                                " AND o.observation_id BETWEEN ?1 AND ?2"));
    rows.Bind(batch.first_id).Bind(batch.last_id);
    if (absl::Status status = SumUp(rows, sums); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Per machine, the first of the batches' observations.
absl::StatusOr<std::map<int64_t, int64_t>> FirstIds(Database& db,
                                                    const std::vector<Batch>& batches) {
  std::map<int64_t, int64_t> first_ids;
  for (const Batch& batch : batches) {
    Query rows(db,
               "SELECT machine_id, min(observation_id) FROM observation"
               " WHERE observation_id BETWEEN ? AND ? GROUP BY machine_id");
    rows.Bind(batch.first_id).Bind(batch.last_id);
    while (rows.Next()) {
      const auto [it, is_new] = first_ids.try_emplace(rows.Int(0), rows.Int(1));
      it->second = std::min(it->second, rows.Int(1));
    }
    if (!rows.status().ok()) return rows.status();
  }
  return first_ids;
}

// From the report counts, for the rows that say which machine it was may be summed up.
absl::Status UndoDropped(Database& db, const std::string& whose, int64_t id) {
  for (const char* const table : {"job", "machine"}) {
    const std::string key = absl::StrCat(table, "_id");
    Query undo(db, absl::StrCat("UPDATE ", table, " SET dropped_count = dropped_count - d.dropped",
                                " FROM (SELECT ", key, " AS id, sum(dropped_count) AS dropped",
                                " FROM report_count WHERE ", whose, " GROUP BY ", key,
                                ") AS d WHERE ", key, " = d.id AND d.dropped > 0"));
    undo.Bind(id);
    if (absl::Status status = undo.Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RemoveRows(Database& db, const std::vector<Batch>& batches) {
  int64_t removed_count = 0;
  for (const Batch& batch : batches) {
    Query remove(db, "DELETE FROM observation WHERE observation_id BETWEEN ? AND ?");
    remove.Bind(batch.first_id).Bind(batch.last_id);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
    removed_count += db.ChangedRowCount();
  }
  return removed_count;
}

using Removal = FindingRemoval<Query, Database>;
constexpr FindingConditions kConditions = {.drift = kDriftIsAbout,
                                           .withdrawal = kWithdrawalIsAbout};

// Before the reports go.
absl::StatusOr<std::map<int64_t, Removal>> FindFindings(Database& db,
                                                        const std::map<int64_t, int64_t>& first_ids,
                                                        const std::string& column, int64_t id) {
  std::map<int64_t, Removal> removals;
  for (const auto& [machine_id, first_id] : first_ids) {
    Removal removal(db, kConditions, machine_id);
    if (absl::Status status = removal.Find(column, id); !status.ok()) return status;
    removals.emplace(machine_id, std::move(removal));
  }
  return removals;
}

// After they went. The parameters still contain what was removed. The daemon may end before it has
// learned again, and a deleted machine may come back: so a note says that it has to.
absl::Status RemoveFindings(Database& db, std::map<int64_t, Removal>& removals) {
  for (auto& [machine_id, removal] : removals) {
    absl::Status status = removal.Remove();
    if (status.ok() && removal.removed_drift_count() > 0) status = RebuildCells(db, machine_id);
    if (status.ok()) status = NoteRelearning(db, machine_id, removal);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A machine whose rest has ended has no name any more.
absl::Status NameMachines(Database& db, const std::map<int64_t, int64_t>& first_ids,
                          Forgotten& forgotten) {
  for (const auto& [machine_id, first_id] : first_ids) {
    Query query(db,
                "SELECT coalesce(m.name, d.name, ''), m.name IS NULL FROM machine m"
                " LEFT JOIN deleted_machine d USING (machine_id) WHERE machine_id = ?");
    query.Bind(machine_id);
    if (query.Next() && !query.Text(0).empty()) {
      if (query.Int(1) == 0) {
        forgotten.machines.push_back({query.Text(0), first_id});
      } else {
        forgotten.deleted_machines.push_back(query.Text(0));
      }
    }
    if (!query.status().ok()) return query.status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Forgotten> RemoveReports(Database& db, const Reporter& reporter) {
  Forgotten forgotten;
  // Reports without a name have no common reporter.
  if (reporter.name.empty()) return forgotten;
  const std::string table = reporter.kind == Reporter::Kind::kJob ? "job" : "source";
  const absl::StatusOr<int64_t> id = IdOf(db, table, reporter.name);
  if (!id.ok()) return id.status();
  if (*id == 0) return forgotten;
  const std::string whose = absl::StrCat(table, "_id = ?1");
  const absl::StatusOr<std::vector<Batch>> batches = BatchesOf(db, whose, *id);
  if (!batches.ok()) return batches.status();
  absl::StatusOr<std::map<int64_t, int64_t>> first_ids = FirstIds(db, *batches);
  if (!first_ids.ok()) return first_ids.status();
  const std::string column = absl::StrCat(table, "_id");
  const OldSumsOf old = {column.c_str(), *id};
  CellSums sums;
  absl::Status status = AddFirstIds(db, old, *first_ids);
  if (!status.ok()) return status;
  absl::StatusOr<std::map<int64_t, Removal>> removals = FindFindings(db, *first_ids, column, *id);
  if (!removals.ok()) return removals.status();
  status = SumUpBatches(db, *batches, sums);
  if (status.ok()) status = AddOldSums(db, old, sums);
  if (status.ok()) status = TakeOut(db, sums);
  if (status.ok()) status = UndoDropped(db, whose, *id);
  if (!status.ok()) return status;
  const absl::StatusOr<int64_t> removed_count = RemoveRows(db, *batches);
  if (!removed_count.ok()) return removed_count.status();
  const absl::StatusOr<int64_t> removed_sums = RemoveOldSums(db, old);
  if (!removed_sums.ok()) return removed_sums.status();
  forgotten.removed_count = *removed_count + *removed_sums;
  status = RemoveFindings(db, *removals);
  if (status.ok()) status = NameMachines(db, *first_ids, forgotten);
  if (!status.ok()) return status;
  Query sketches(db, absl::StrCat("DELETE FROM pattern_sketch WHERE ", whose));
  sketches.Bind(*id);
  if (status = sketches.Run(); !status.ok()) return status;
  forgotten.removed_sketch_count = db.ChangedRowCount();
  for (const std::string& sql : {absl::StrCat("DELETE FROM report_count WHERE ", whose),
                                 absl::StrCat("DELETE FROM batch WHERE ", whose),
                                 absl::StrCat("DELETE FROM ", table, " WHERE ", whose)}) {
    Query remove(db, sql);
    remove.Bind(*id);
    if (status = remove.Run(); !status.ok()) return status;
  }
  return forgotten;
}

}  // namespace cox::store
