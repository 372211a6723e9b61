#include "store/observation_table.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/cell.h"
#include "store/machine_table.h"
#include "store/statistic.h"

namespace cox::store {
namespace {

constexpr const char* kScenarioColumns =
    "s.library, s.collective, s.algorithm, s.nodes, s.ppn, s.ranks, s.block_bytes, s.type_bytes";
constexpr int kScenarioColumnCount = 8;

// CROSS JOIN keeps the order: the batches of a job, then the rows of each, so that ids ascend
// without sorting.
constexpr const char* kRowsOfJob =
    " FROM batch b CROSS JOIN observation o"
    " ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1 ";

ScenarioKey KeyOf(const Query& row, int first, std::string machine) {
  return {.machine = std::move(machine),
          .library = row.Text(first),
          .collective = row.Text(first + 1),
          .algorithm = row.Text(first + 2),
          .nodes = row.Int(first + 3),
          .ppn = row.Int(first + 4),
          .ranks = row.Int(first + 5),
          .block_bytes = row.Int(first + 6),
          .type_bytes = row.Int(first + 7)};
}

// nullopt: nobody of that name has reported.
absl::StatusOr<std::optional<int64_t>> FindJobId(Database& db, absl::string_view name) {
  Query query(db, "SELECT job_id FROM job WHERE name = ?");
  query.Bind(name);
  if (query.Next()) return query.Int(0);
  if (!query.status().ok()) return query.status();
  return std::nullopt;
}

// The ids that a filter stands for.
struct FilterIds {
  std::optional<int64_t> machine_id;
  std::optional<int64_t> job_id;
  bool none = false;  // a job that has not reported
};

absl::StatusOr<FilterIds> Resolve(Database& db, const ObservationFilter& filter) {
  FilterIds ids;
  if (!filter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(db, filter.machine);
    if (!machine_id.ok()) return machine_id.status();
    ids.machine_id = *machine_id;
  }
  if (!filter.job.empty()) {
    const absl::StatusOr<std::optional<int64_t>> job_id = FindJobId(db, filter.job);
    if (!job_id.ok()) return job_id.status();
    ids.job_id = *job_id;
    ids.none = !job_id->has_value();
  }
  return ids;
}

absl::StatusOr<int64_t> SingleNumber(Query& query) {
  const int64_t number = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return number;
}

absl::StatusOr<ObservationCount> CountJob(Database& db, const FilterIds& ids) {
  // Rows of a machine that is being deleted do not count any more.
  Query rows(db, absl::StrCat(
                     "SELECT count(*)", kRowsOfJob,
                     "JOIN machine m USING (machine_id)"
                     " WHERE b.job_id = ?1 AND m.name IS NOT NULL AND (?2 OR o.machine_id = ?3)"));
  rows.Bind(*ids.job_id).Bind(int64_t{!ids.machine_id}).Bind(ids.machine_id.value_or(0));
  const absl::StatusOr<int64_t> observation_count = SingleNumber(rows);
  if (!observation_count.ok()) return observation_count.status();
  Query dropped(db, ids.machine_id ? "SELECT coalesce(sum(b.dropped_count), 0) FROM batch b"
                                     " CROSS JOIN observation o ON o.observation_id = b.batch_id"
                                     " WHERE b.job_id = ? AND o.machine_id = ?"
                                   : "SELECT dropped_count FROM job WHERE job_id = ?");
  dropped.Bind(*ids.job_id);
  if (ids.machine_id) dropped.Bind(*ids.machine_id);
  const absl::StatusOr<int64_t> dropped_count = SingleNumber(dropped);
  if (!dropped_count.ok()) return dropped_count.status();
  return ObservationCount{*observation_count, *dropped_count};
}

// Per scenario, what a job has added.
absl::StatusOr<absl::flat_hash_map<int64_t, Cell>> CellsOfJob(Database& db, int64_t job_id) {
  Query query(db, absl::StrCat("SELECT o.scenario_id, o.time_s, o.timing_count", kRowsOfJob,
                               "WHERE b.job_id = ? ORDER BY b.batch_id, o.observation_id"));
  query.Bind(job_id);
  absl::flat_hash_map<int64_t, Cell> cells;
  while (query.Next()) Add(CellOf(query.Real(1), query.Int(2)), cells[query.Int(0)]);
  if (!query.status().ok()) return query.status();
  return cells;
}

// Batch by batch: one statement for all of a job's rows would first list them in memory.
absl::StatusOr<int64_t> RemoveRows(Database& db, int64_t job_id) {
  int64_t removed_count = 0;
  Query batches(db, "SELECT batch_id, id_count FROM batch WHERE job_id = ?");
  batches.Bind(job_id);
  while (batches.Next()) {
    Query remove(db, "DELETE FROM observation WHERE observation_id BETWEEN ? AND ?");
    remove.Bind(batches.Int(0)).Bind(batches.Int(0) + batches.Int(1) - 1);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
    removed_count += db.ChangedRowCount();
  }
  if (!batches.status().ok()) return batches.status();
  return removed_count;
}

absl::Status TakeOut(Database& db, int64_t scenario_id, const Cell& part) {
  Cell cell;
  {
    Query read(db,
               "SELECT weight, mean_log_time, m2_log_time, observation_count FROM scenario"
               " WHERE scenario_id = ?");
    read.Bind(scenario_id);
    if (read.Next()) cell = {read.Real(0), read.Real(1), read.Real(2), read.Int(3)};
    if (!read.status().ok()) return read.status();
  }
  Remove(part, cell);
  Query update(db,
               "UPDATE scenario SET weight = ?, mean_log_time = ?, m2_log_time = ?,"
               " observation_count = ? WHERE scenario_id = ?");
  update.Bind(cell.weight).Bind(cell.mean_log_time).Bind(cell.m2_log_time);
  update.Bind(cell.observation_count).Bind(scenario_id);
  return update.Run();
}

}  // namespace

absl::StatusOr<std::vector<ObservationRecord>> ReadObservations(Database& db,
                                                                const ObservationFilter& filter,
                                                                int64_t after_id, int64_t limit) {
  std::vector<ObservationRecord> observations;
  const absl::StatusOr<FilterIds> ids = Resolve(db, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return observations;
  // An observation's batch is the last one that starts at or before it.
  std::string sql = absl::StrCat(
      "SELECT o.observation_id, m.name, o.time_s, o.timing_count, o.stddev_s, o.statistic, o.run,"
      " o.at_us, (SELECT j.name FROM batch b JOIN job j USING (job_id)"
      " WHERE b.batch_id <= o.observation_id ORDER BY b.batch_id DESC LIMIT 1), ",
      kScenarioColumns, ids->job_id ? kRowsOfJob : " FROM observation o ",
      "CROSS JOIN scenario s USING (scenario_id) CROSS JOIN machine m ON m.machine_id = "
      "o.machine_id"
      " WHERE o.observation_id > ?1 AND m.name IS NOT NULL");
  if (ids->machine_id) absl::StrAppend(&sql, " AND o.machine_id = ?3");
  if (ids->job_id) {
    absl::StrAppend(
        &sql,
        " AND b.job_id = ?4 AND b.batch_id >= coalesce((SELECT max(batch_id) FROM batch"
        " WHERE job_id = ?4 AND batch_id <= ?1), 0) ORDER BY b.batch_id, o.observation_id");
  } else {
    absl::StrAppend(&sql, " ORDER BY o.observation_id");
  }
  absl::StrAppend(&sql, " LIMIT ?2");
  // Parameters that this form of the statement does not have are out of SQLite's range: bind up to
  // the last one that it has.
  Query query(db, sql);
  query.Bind(after_id).Bind(limit);
  if (ids->machine_id || ids->job_id) query.Bind(ids->machine_id.value_or(0));
  if (ids->job_id) query.Bind(*ids->job_id);
  constexpr int kFirstScenarioColumn = 9;
  while (query.Next()) {
    observations.push_back({.id = query.Int(0),
                            .scenario = KeyOf(query, kFirstScenarioColumn, query.Text(1)),
                            .time_s = query.Real(2),
                            .count = query.Int(3),
                            .stddev_s = query.Real(4),
                            .statistic = StatisticName(query.Int(5)),
                            .run = query.Text(6),
                            .job = query.Text(8),
                            .at_us = query.Int(7)});
  }
  if (!query.status().ok()) return query.status();
  return observations;
}

absl::StatusOr<ObservationCount> ReadObservationCount(Database& db,
                                                      const ObservationFilter& filter) {
  const absl::StatusOr<FilterIds> ids = Resolve(db, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return ObservationCount{};
  if (ids->job_id) return CountJob(db, *ids);
  Query rows(db,
             ids->machine_id
                 ? "SELECT coalesce(sum(observation_count), 0) FROM scenario WHERE machine_id = ?"
                 : "SELECT coalesce(sum(observation_count), 0) FROM scenario"
                   " JOIN machine USING (machine_id) WHERE name IS NOT NULL");
  if (ids->machine_id) rows.Bind(*ids->machine_id);
  const absl::StatusOr<int64_t> observation_count = SingleNumber(rows);
  if (!observation_count.ok()) return observation_count.status();
  Query dropped(db, ids->machine_id ? "SELECT dropped_count FROM machine WHERE machine_id = ?"
                                    : "SELECT coalesce(sum(dropped_count), 0) FROM job");
  if (ids->machine_id) dropped.Bind(*ids->machine_id);
  const absl::StatusOr<int64_t> dropped_count = SingleNumber(dropped);
  if (!dropped_count.ok()) return dropped_count.status();
  return ObservationCount{*observation_count, *dropped_count};
}

absl::StatusOr<std::vector<CellRecord>> ReadCells(Database& db, absl::string_view machine) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db,
              absl::StrCat("SELECT ", kScenarioColumns,
                           ", s.weight, s.mean_log_time, s.m2_log_time, s.observation_count"
                           " FROM scenario s WHERE s.machine_id = ? AND s.observation_count > 0"));
  query.Bind(*machine_id);
  std::vector<CellRecord> cells;
  const std::string name(machine.data(), machine.size());
  while (query.Next()) {
    cells.push_back({.scenario = KeyOf(query, 0, name),
                     .weight = query.Real(kScenarioColumnCount),
                     .mean_log_time = query.Real(kScenarioColumnCount + 1),
                     .m2_log_time = query.Real(kScenarioColumnCount + 2),
                     .observation_count = query.Int(kScenarioColumnCount + 3)});
  }
  if (!query.status().ok()) return query.status();
  return cells;
}

absl::StatusOr<int64_t> ReadLastObservationId(Database& db) {
  Query query(db, "SELECT observation_id - 1 FROM next_id");
  return SingleNumber(query);
}

absl::StatusOr<int64_t> RemoveJob(Database& db, absl::string_view job) {
  const absl::StatusOr<std::optional<int64_t>> job_id = FindJobId(db, job);
  if (!job_id.ok()) return job_id.status();
  if (!job_id->has_value()) return 0;
  const absl::StatusOr<absl::flat_hash_map<int64_t, Cell>> cells = CellsOfJob(db, **job_id);
  if (!cells.ok()) return cells.status();
  for (const auto& [scenario_id, cell] : *cells) {
    if (absl::Status status = TakeOut(db, scenario_id, cell); !status.ok()) return status;
  }
  constexpr const char* kUndoDropped =
      "UPDATE machine SET dropped_count = dropped_count - d.dropped FROM (SELECT o.machine_id AS "
      "id,"
      " sum(b.dropped_count) AS dropped FROM batch b CROSS JOIN observation o"
      " ON o.observation_id = b.batch_id WHERE b.job_id = ? AND b.dropped_count > 0"
      " GROUP BY o.machine_id) AS d WHERE machine_id = d.id";
  Query undo_dropped(db, kUndoDropped);
  undo_dropped.Bind(**job_id);
  if (absl::Status status = undo_dropped.Run(); !status.ok()) return status;
  const absl::StatusOr<int64_t> removed_count = RemoveRows(db, **job_id);
  if (!removed_count.ok()) return removed_count.status();
  for (const char* const sql :
       {"DELETE FROM batch WHERE job_id = ?", "DELETE FROM job WHERE job_id = ?"}) {
    Query remove(db, sql);
    remove.Bind(**job_id);
    if (absl::Status status = remove.Run(); !status.ok()) return status;
  }
  return *removed_count;
}

}  // namespace cox::store
