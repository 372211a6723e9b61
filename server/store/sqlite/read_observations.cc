#include "store/sqlite/read_observations.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/scenario_columns.h"
#include "store/statistic.h"

namespace cox::store {
namespace {

// CROSS JOIN keeps the order: the batches of a job or a source, then the rows of each, so that ids
// ascend without sorting.
constexpr const char* kRowsOfBatches =
    " FROM batch b CROSS JOIN observation o"
    " ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1 ";

// nullopt: the name is unknown.
absl::StatusOr<std::optional<int64_t>> FindId(Database& db, const char* sql,
                                              absl::string_view name) {
  Query query(db, sql);
  query.Bind(name);
  if (query.Next()) return query.Int(0);
  if (!query.status().ok()) return query.status();
  return std::nullopt;
}

// The ids of a filter's names.
struct FilterIds {
  std::optional<int64_t> machine_id;
  std::optional<int64_t> job_id;
  std::optional<int64_t> source_id;
  bool none = false;  // a job or source that has not reported

  bool by_batch() const { return job_id || source_id; }
  // The condition on batch `b`. Ids are parameters and not text, because the connection caches each
  // statement by its text.
  std::string OfBatch(int first_parameter) const {
    if (job_id && source_id) {
      return absl::StrCat("b.job_id = ?", first_parameter, " AND b.source_id = ?",
                          first_parameter + 1);
    }
    return absl::StrCat(job_id ? "b.job_id = ?" : "b.source_id = ?", first_parameter);
  }
  int batch_parameters() const { return (job_id ? 1 : 0) + (source_id ? 1 : 0); }
  void BindBatch(Query& query) const {
    if (job_id) query.Bind(*job_id);
    if (source_id) query.Bind(*source_id);
  }
};

absl::StatusOr<FilterIds> Resolve(Database& db, const ObservationFilter& filter) {
  FilterIds ids;
  if (!filter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(db, filter.machine);
    if (!machine_id.ok()) return machine_id.status();
    ids.machine_id = *machine_id;
  }
  struct Part {
    const std::string& name;
    const char* sql;
    std::optional<int64_t>& id;
  };
  for (const Part& part :
       {Part{filter.job, "SELECT job_id FROM job WHERE name = ?", ids.job_id},
        Part{filter.source, "SELECT source_id FROM source WHERE name = ?", ids.source_id}}) {
    if (part.name.empty()) continue;
    const absl::StatusOr<std::optional<int64_t>> id = FindId(db, part.sql, part.name);
    if (!id.ok()) return id.status();
    part.id = *id;
    ids.none |= !id->has_value();
  }
  return ids;
}

// A condition on a row; its value follows as a parameter.
struct RowCondition {
  const char* sql;
  absl::string_view text{};
  int64_t number = 0;  // where there is no text
};
constexpr size_t kFirstCondition = 6;

std::vector<RowCondition> ConditionsOf(const ObservationFilter& filter, bool by_batch) {
  std::vector<RowCondition> conditions;
  for (const RowCondition& of_scenario : {RowCondition{"s.library =", filter.library},
                                          RowCondition{"s.collective =", filter.collective},
                                          RowCondition{"s.algorithm =", filter.algorithm}}) {
    if (!of_scenario.text.empty()) conditions.push_back(of_scenario);
  }
  if (filter.since_us > 0) conditions.push_back({"o.at_us >=", {}, filter.since_us});
  if (filter.until_id > 0) {
    conditions.push_back(
        {filter.newest_first ? "o.observation_id >=" : "o.observation_id <=", {}, filter.until_id});
    // Without it the batches beyond would be passed over, too.
    if (by_batch) {
      conditions.push_back(
          {filter.newest_first ? "b.batch_id >=" : "b.batch_id <=", {}, filter.until_id});
    }
  }
  return conditions;
}

// The id at which a list has to begin.
int64_t FirstBound(const ObservationFilter& filter, int64_t after_id) {
  const bool from_newest = filter.newest_first && after_id == 0;
  return from_newest ? std::numeric_limits<int64_t>::max() : after_id;
}

// Of the batches of one reporter. Those of a job that are from other sources count, too: they are
// passed over.
absl::StatusOr<int64_t> FindBatchScanEnd(Database& db, const FilterIds& ids, bool newest_first,
                                         int64_t first_bound, int64_t row_limit) {
  const char* const of_batch = ids.job_id ? "job_id = ?1" : "source_id = ?1";
  Query batches(
      db, newest_first
              ? absl::StrCat("SELECT batch_id, id_count FROM batch WHERE ", of_batch,
                             " AND batch_id < ?2 ORDER BY batch_id DESC")
              : absl::StrCat("SELECT batch_id, id_count FROM batch WHERE ", of_batch,
                             " AND batch_id >= coalesce((SELECT max(batch_id) FROM batch WHERE ",
                             of_batch, " AND batch_id <= ?2), 0) ORDER BY batch_id"));
  batches.Bind(ids.job_id ? *ids.job_id : *ids.source_id).Bind(first_bound);
  int64_t row_count = 0;
  while (batches.Next()) {
    const int64_t first_id = batches.Int(0);
    const int64_t last_id = first_id + batches.Int(1) - 1;
    // The first of them may be listed in part.
    row_count += last_id - (newest_first ? first_id - 1 : std::max(first_id - 1, first_bound));
    if (row_count >= row_limit) return newest_first ? first_id : last_id;
  }
  if (!batches.status().ok()) return batches.status();
  return 0;
}

absl::StatusOr<int64_t> SingleNumber(Query& query) {
  const int64_t number = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  return number;
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
      " o.at_us, j.name, coalesce(q.name, ''), w.kind, ",
      kScenarioColumns, ids->by_batch() ? kRowsOfBatches : " FROM observation o ",
      "CROSS JOIN scenario s USING (scenario_id) CROSS JOIN machine m ON m.machine_id = "
      "o.machine_id CROSS JOIN batch w ON w.batch_id = (SELECT max(batch_id) FROM batch"
      " WHERE batch_id <= o.observation_id) CROSS JOIN job j ON j.job_id = w.job_id"
      " LEFT JOIN source q ON q.source_id = w.source_id"
      " WHERE m.name IS NOT NULL AND o.observation_id ",
      filter.newest_first ? "<" : ">", " ?1");
  // Parameters that this form of the statement does not have are out of SQLite's range: bind up to
  // the last one that it has.
  if (ids->machine_id) absl::StrAppend(&sql, " AND o.machine_id = ?3");
  const std::vector<RowCondition> conditions = ConditionsOf(filter, ids->by_batch());
  for (size_t i = 0; i < conditions.size(); ++i) {
    absl::StrAppend(&sql, " AND ", conditions[i].sql, " ?", kFirstCondition + i);
  }
  const char* const order = filter.newest_first ? " DESC" : "";
  if (ids->by_batch()) {
    const std::string of_batch = ids->OfBatch(4);
    absl::StrAppend(&sql, " AND ", of_batch);
    // From the batch that holds the row after which to go on.
    if (filter.newest_first) {
      absl::StrAppend(&sql, " AND b.batch_id < ?1");
    } else {
      absl::StrAppend(&sql,
                      " AND b.batch_id >= coalesce((SELECT max(b.batch_id) FROM batch b WHERE ",
                      of_batch, " AND b.batch_id <= ?1), 0)");
    }
    absl::StrAppend(&sql, " ORDER BY b.batch_id", order, ", o.observation_id", order);
  } else {
    absl::StrAppend(&sql, " ORDER BY o.observation_id", order);
  }
  absl::StrAppend(&sql, " LIMIT ?2");
  Query query(db, sql);
  query.Bind(FirstBound(filter, after_id)).Bind(limit);
  if (ids->machine_id || ids->by_batch() || !conditions.empty()) {
    query.Bind(ids->machine_id.value_or(0));
  }
  ids->BindBatch(query);
  if (!conditions.empty()) {
    // Up to the first condition's parameter.
    for (int i = ids->batch_parameters(); i < 2; ++i) query.Bind(int64_t{0});
  }
  for (const RowCondition& condition : conditions) {
    if (condition.text.empty()) {
      query.Bind(condition.number);
    } else {
      query.Bind(condition.text);
    }
  }
  constexpr int kFirstScenarioColumn = 11;
  while (query.Next()) {
    observations.push_back({.id = query.Int(0),
                            .scenario = ScenarioOf(query, kFirstScenarioColumn, query.Text(1)),
                            .time_s = query.Real(2),
                            .count = query.Int(3),
                            .stddev_s = query.Real(4),
                            .statistic = StatisticName(query.Int(5)),
                            .run = query.Text(6),
                            .job = query.Text(8),
                            .source = query.Text(9),
                            .kind = static_cast<domain::CellKind>(query.Int(10)),
                            .at_us = query.Int(7)});
  }
  if (!query.status().ok()) return query.status();
  return observations;
}

absl::StatusOr<int64_t> FindScanEnd(Database& db, const ObservationFilter& filter, int64_t after_id,
                                    int64_t row_limit) {
  if (!filter.MayPassOver()) return 0;
  const absl::StatusOr<FilterIds> ids = Resolve(db, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return 0;
  const int64_t first_bound = FirstBound(filter, after_id);
  if (ids->by_batch()) {
    return FindBatchScanEnd(db, *ids, filter.newest_first, first_bound, row_limit);
  }
  Query query(
      db, absl::StrCat("SELECT observation_id FROM observation WHERE observation_id ",
                       filter.newest_first ? "<" : ">", " ?1",
                       ids->machine_id ? " AND machine_id = ?3" : "", " ORDER BY observation_id",
                       filter.newest_first ? " DESC" : "", " LIMIT 1 OFFSET ?2"));
  query.Bind(first_bound).Bind(row_limit - 1);
  if (ids->machine_id) query.Bind(*ids->machine_id);
  return SingleNumber(query);
}

absl::StatusOr<ObservationCount> ReadObservationCount(Database& db,
                                                      const ObservationFilter& filter) {
  const absl::StatusOr<FilterIds> ids = Resolve(db, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return ObservationCount{};
  if (ids->by_batch()) return SumReports(db, ids->job_id, ids->source_id, ids->machine_id);
  Query rows(db, ids->machine_id ? "SELECT coalesce(sum(observation_count), 0) FROM scenario"
                                   " CROSS JOIN cell USING (scenario_id) WHERE machine_id = ?"
                                 : "SELECT coalesce(sum(observation_count), 0) FROM cell"
                                   " CROSS JOIN scenario USING (scenario_id) CROSS JOIN machine"
                                   " USING (machine_id) WHERE name IS NOT NULL");
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

absl::StatusOr<int64_t> ReadLastObservationId(Database& db) {
  Query query(db, "SELECT observation_id - 1 FROM next_id");
  return SingleNumber(query);
}

}  // namespace cox::store
