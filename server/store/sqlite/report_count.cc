#include "store/sqlite/report_count.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace cox::store {
namespace {

constexpr const char* kAddTo =
    " ON CONFLICT (job_id, source_id, machine_id) DO UPDATE SET"
    " observation_count = observation_count + excluded.observation_count,"
    " dropped_count = dropped_count + excluded.dropped_count";

}  // namespace

absl::Status AddReports(Database& db, const ReportKey& key, const ObservationCount& count) {
  Query add(db, absl::StrCat("INSERT INTO report_count VALUES (?, ?, ?, ?, ?)", kAddTo));
  add.Bind(key.job_id).Bind(key.source_id).Bind(key.machine_id);
  add.Bind(count.observation_count).Bind(count.dropped_count);
  return add.Run();
}

absl::StatusOr<ObservationCount> SumReports(Database& db, std::optional<int64_t> job_id,
                                            std::optional<int64_t> source_id,
                                            std::optional<int64_t> machine_id) {
  std::string sql =
      "SELECT coalesce(sum(CASE WHEN machine_id IN (SELECT machine_id FROM machine"
      " WHERE name IS NULL) THEN 0 ELSE observation_count END), 0), coalesce(sum(dropped_count), 0)"
      " FROM report_count WHERE 1";
  if (job_id) absl::StrAppend(&sql, " AND job_id = ?");
  if (source_id) absl::StrAppend(&sql, " AND source_id = ?");
  if (machine_id) absl::StrAppend(&sql, " AND machine_id = ?");
  Query query(db, sql);
  for (const std::optional<int64_t>& id : {job_id, source_id, machine_id}) {
    if (id) query.Bind(*id);
  }
  ObservationCount count;
  if (query.Next()) count = {query.Int(0), query.Int(1)};
  if (!query.status().ok()) return query.status();
  return count;
}

absl::Status ForgetMachineReports(Database& db, int64_t machine_id) {
  Query keep(db,
             absl::StrCat("INSERT INTO report_count SELECT job_id, source_id, 0, 0, dropped_count"
                          " FROM report_count WHERE machine_id = ? AND dropped_count > 0",
                          kAddTo));
  keep.Bind(machine_id);
  if (absl::Status status = keep.Run(); !status.ok()) return status;
  Query remove(db, "DELETE FROM report_count WHERE machine_id = ?");
  remove.Bind(machine_id);
  return remove.Run();
}

absl::Status RebuildReportCounts(Database& db) {
  // What was dropped stays as it is: the batches that said so may be gone.
  const absl::StatusOr<int64_t> known = Query(db, "SELECT count(*) FROM report_count").Number();
  if (!known.ok()) return known.status();
  absl::Status emptied = db.Execute(
      "DELETE FROM report_count WHERE dropped_count = 0; UPDATE report_count SET"
      " observation_count = 0");
  if (!emptied.ok()) return emptied;
  Query rows(db,
             absl::StrCat("INSERT INTO report_count SELECT b.job_id, coalesce(b.source_id, 0),"
                          " o.machine_id, count(*), 0 FROM batch b CROSS JOIN observation o"
                          " ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1"
                          " WHERE true GROUP BY 1, 2, 3",
                          kAddTo));
  if (absl::Status status = rows.Run(); !status.ok()) return status;
  Query summed(db,
               absl::StrCat("INSERT INTO report_count SELECT job_id, source_id, machine_id,"
                            " sum(observation_count), 0 FROM old_sum WHERE true GROUP BY 1, 2, 3",
                            kAddTo));
  if (absl::Status status = summed.Run(); !status.ok()) return status;
  if (*known > 0) return absl::OkStatus();
  // A machine gets the dropped timings of the batches whose first observation is its own.
  Query dropped(
      db,
      absl::StrCat("INSERT INTO report_count SELECT b.job_id, coalesce(b.source_id, 0),"
                   " coalesce((SELECT o.machine_id FROM observation o"
                   " WHERE o.observation_id = b.batch_id), 0), 0, sum(b.dropped_count) FROM batch b"
                   " WHERE b.dropped_count > 0 GROUP BY 1, 2, 3",
                   kAddTo));
  return dropped.Run();
}

}  // namespace cox::store
