#include "store/postgres/views/observation_list.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/report_counts.h"
#include "store/postgres/rows/scenario_columns.h"
#include "store/statistic.h"

namespace cox::store::postgres {
namespace {

// The ids of a filter's names.
struct FilterIds {
  std::optional<int64_t> machine_id;
  std::optional<int64_t> job_id;
  std::optional<int64_t> source_id;
  bool none = false;  // a job or source that has not reported
  bool by_batch() const { return job_id || source_id; }
};

absl::StatusOr<FilterIds> Resolve(Session& session, const ObservationFilter& filter) {
  FilterIds ids;
  if (!filter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(session, filter.machine);
    if (!machine_id.ok()) return machine_id.status();
    ids.machine_id = *machine_id;
  }
  struct Part {
    const std::string& name;
    const char* sql;
    std::optional<int64_t>& id;
  };
  for (const Part& part :
       {Part{filter.job, "SELECT job_id FROM job WHERE name = $1", ids.job_id},
        Part{filter.source, "SELECT source_id FROM source WHERE name = $1", ids.source_id}}) {
    if (part.name.empty()) continue;
    const absl::StatusOr<int64_t> id =
        Query(session, part.sql).Bind(absl::string_view(part.name)).Number();
    if (!id.ok()) return id.status();
    part.id = *id;
    ids.none |= *id == 0;
  }
  return ids;
}

// A statement that grows by conditions, each with one parameter.
class Selection {
 public:
  explicit Selection(std::string sql) : sql_(std::move(sql)) {}
  template <typename Value>
  void And(absl::string_view condition, const Value& value) {
    Add(absl::StrCat(" AND ", condition), value);
  }
  template <typename Value>
  void Add(absl::string_view clause, const Value& value) {
    absl::StrAppend(&sql_, clause, " $", ++count_);
    binds_.push_back([value](Query& query) { query.Bind(value); });
  }
  void Append(absl::string_view sql) { absl::StrAppend(&sql_, sql); }
  const std::string& sql() const { return sql_; }
  void BindTo(Query& query) const {
    for (const auto& bind : binds_) bind(query);
  }

 private:
  std::string sql_;
  int count_ = 0;
  std::vector<std::function<void(Query&)>> binds_;
};

// The id at which a list has to begin.
int64_t FirstBound(const ObservationFilter& filter, int64_t after_id) {
  const bool from_newest = filter.newest_first && after_id == 0;
  return from_newest ? std::numeric_limits<int64_t>::max() : after_id;
}

// The ids that the filter selects, after `after_id`, in order; only then the rest of each row is
// read.
Selection IdsOf(const FilterIds& ids, const ObservationFilter& filter, int64_t after_id) {
  const char* const order = filter.newest_first ? " DESC" : "";
  Selection select(absl::StrCat(
      "SELECT o.* FROM ",
      ids.by_batch() ? "batch b JOIN observation o ON o.observation_id BETWEEN b.batch_id"
                       " AND b.batch_id + b.id_count - 1"
                     : "observation o",
      " JOIN scenario s USING (scenario_id) JOIN machine m ON m.machine_id = o.machine_id"
      " WHERE m.name IS NOT NULL"));
  const int64_t from = FirstBound(filter, after_id);
  select.And(filter.newest_first ? "o.observation_id <" : "o.observation_id >", from);
  if (ids.by_batch()) {
    // Batches do not overlap: only the last that begins at or before an id may hold the next one.
    if (filter.newest_first) {
      select.And("b.batch_id <", from);
    } else {
      select.And("b.batch_id >= coalesce((SELECT max(x.batch_id) FROM batch x WHERE x.batch_id <=",
                 from);
      select.Append("), 0)");
    }
  }
  if (ids.machine_id) select.And("o.machine_id =", *ids.machine_id);
  if (ids.job_id) select.And("b.job_id =", *ids.job_id);
  if (ids.source_id) select.And("b.source_id =", *ids.source_id);
  for (const auto& [condition, text] :
       {std::pair{"s.library =", &filter.library}, std::pair{"s.collective =", &filter.collective},
        std::pair{"s.algorithm =", &filter.algorithm}}) {
    if (!text->empty()) select.And(condition, absl::string_view(*text));
  }
  if (filter.since_us > 0) select.And("o.at_us >=", filter.since_us);
  if (filter.until_id > 0) {
    select.And(filter.newest_first ? "o.observation_id >=" : "o.observation_id <=",
               filter.until_id);
    // Without it the batches beyond would be passed over, too.
    if (ids.by_batch()) {
      select.And(filter.newest_first ? "b.batch_id >=" : "b.batch_id <=", filter.until_id);
    }
  }
  select.Append(ids.by_batch()
                    ? absl::StrCat(" ORDER BY b.batch_id", order, ", o.observation_id", order)
                    : absl::StrCat(" ORDER BY o.observation_id", order));
  return select;
}

// Of the batches of one reporter. Those of a job that are from other sources count, too: they are
// passed over.
absl::StatusOr<int64_t> FindBatchScanEnd(Session& session, const FilterIds& ids, bool newest_first,
                                         int64_t first_bound, int64_t row_limit) {
  const char* const order = newest_first ? " DESC" : "";
  // The first of them may be listed in part.
  const char* const rows =
      newest_first ? "id_count" : "least(id_count, batch_id + id_count - 1 - $2)";
  Query query(
      session,
      absl::StrCat("SELECT ", newest_first ? "batch_id" : "batch_id + id_count - 1",
                   " FROM (SELECT batch_id, id_count, sum(", rows, ") OVER (ORDER BY batch_id",
                   order, " ROWS UNBOUNDED PRECEDING) AS row_count FROM batch WHERE ",
                   ids.job_id ? "job_id = $1" : "source_id = $1", " AND batch_id ",
                   newest_first ? "< $2"
                                : ">= coalesce((SELECT max(batch_id) FROM batch"
                                  " WHERE batch_id <= $2), 0)",
                   ") b WHERE row_count >= $3 ORDER BY batch_id", order, " LIMIT 1"));
  query.Bind(ids.job_id ? *ids.job_id : *ids.source_id).Bind(first_bound).Bind(row_limit);
  return query.Number();
}

}  // namespace

absl::StatusOr<int64_t> FindScanEnd(Session& session, const ObservationFilter& filter,
                                    int64_t after_id, int64_t row_limit) {
  if (!filter.MayPassOver()) return 0;
  const absl::StatusOr<FilterIds> ids = Resolve(session, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return 0;
  const int64_t first_bound = FirstBound(filter, after_id);
  if (ids->by_batch()) {
    return FindBatchScanEnd(session, *ids, filter.newest_first, first_bound, row_limit);
  }
  Query query(session, absl::StrCat("SELECT observation_id FROM observation WHERE observation_id ",
                                    filter.newest_first ? "<" : ">", " $1",
                                    ids->machine_id ? " AND machine_id = $3" : "",
                                    " ORDER BY observation_id", filter.newest_first ? " DESC" : "",
                                    " LIMIT 1 OFFSET $2"));
  query.Bind(first_bound).Bind(row_limit - 1);
  if (ids->machine_id) query.Bind(*ids->machine_id);
  return query.Number();
}

absl::StatusOr<std::vector<ObservationRecord>> ReadObservations(Session& session,
                                                                const ObservationFilter& filter,
                                                                int64_t after_id, int64_t limit) {
  std::vector<ObservationRecord> observations;
  const absl::StatusOr<FilterIds> ids = Resolve(session, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return observations;
  Selection select = IdsOf(*ids, filter, after_id);
  select.Add(" LIMIT", limit);
  // An observation's batch is the last one that starts at or before it.
  Query query(session,
              absl::StrCat("SELECT o.observation_id, m.name, o.time_s, o.timing_count, o.stddev_s,"
                           " o.statistic, o.run, o.at_us, j.name, q.name, w.kind, ",
                           kScenarioColumns, " FROM (", select.sql(),
                           ") o JOIN scenario s USING (scenario_id)"
                           " JOIN machine m ON m.machine_id = o.machine_id CROSS JOIN LATERAL"
                           " (SELECT * FROM batch b WHERE b.batch_id <= o.observation_id"
                           "  ORDER BY b.batch_id DESC LIMIT 1) w"
                           " JOIN job j ON j.job_id = w.job_id"
                           " LEFT JOIN source q ON q.source_id = w.source_id"
                           " ORDER BY o.observation_id",
                           filter.newest_first ? " DESC" : ""));
  select.BindTo(query);
  query.Stream();
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

absl::StatusOr<ObservationCount> ReadObservationCount(Session& session,
                                                      const ObservationFilter& filter) {
  const absl::StatusOr<FilterIds> ids = Resolve(session, filter);
  if (!ids.ok()) return ids.status();
  if (ids->none) return ObservationCount{};
  if (ids->by_batch()) return SumReports(session, ids->job_id, ids->source_id, ids->machine_id);
  const int64_t machine_id = ids->machine_id.value_or(0);
  Query rows(session,
             "SELECT coalesce(sum(c.observation_count), 0)::bigint FROM cell_part c"
             " JOIN scenario USING (scenario_id) JOIN machine m USING (machine_id)"
             " WHERE m.name IS NOT NULL AND ($1 = 0 OR machine_id = $1)");
  const absl::StatusOr<int64_t> observation_count = rows.Bind(machine_id).Number();
  if (!observation_count.ok()) return observation_count.status();
  Query dropped(session, machine_id != 0 ? "SELECT dropped_count FROM machine WHERE machine_id = $1"
                                         : "SELECT coalesce(sum(dropped_count), 0)::bigint FROM job"
                                           " WHERE $1 = 0");
  const absl::StatusOr<int64_t> dropped_count = dropped.Bind(machine_id).Number();
  if (!dropped_count.ok()) return dropped_count.status();
  return ObservationCount{*observation_count, *dropped_count};
}

absl::StatusOr<int64_t> ReadLastObservationId(Session& session) {
  return Query(session, "SELECT observation_id - 1 FROM next_id").Number();
}

}  // namespace cox::store::postgres
