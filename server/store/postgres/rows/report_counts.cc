#include "store/postgres/rows/report_counts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {
namespace {

constexpr const char* kAddTo =
    " ON CONFLICT (job_id, source_id, machine_id) DO UPDATE SET"
    " observation_count = report_count.observation_count + excluded.observation_count,"
    " dropped_count = report_count.dropped_count + excluded.dropped_count";

}  // namespace

absl::Status AddReports(Session& session, const ReportCounts& counts) {
  std::vector<int64_t> jobs;
  std::vector<int64_t> sources;
  std::vector<int64_t> machines;
  std::vector<int64_t> observations;
  std::vector<int64_t> dropped;
  bool has_dropped = false;
  for (const auto& [key, count] : counts) {
    jobs.push_back(key.job_id);
    sources.push_back(key.source_id);
    machines.push_back(key.machine_id);
    observations.push_back(count.observation_count);
    dropped.push_back(count.dropped_count);
    has_dropped |= count.dropped_count > 0;
  }
  Query add(session, absl::StrCat("INSERT INTO report_count SELECT * FROM unnest($1::bigint[],"
                                  " $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])",
                                  kAddTo));
  add.BindAll(jobs).BindAll(sources).BindAll(machines).BindAll(observations).BindAll(dropped);
  absl::Status status = add.Run();
  if (!status.ok() || !has_dropped) return status;
  const std::pair<const char*, const std::vector<int64_t>&> owners[] = {{"job", jobs},
                                                                        {"machine", machines}};
  for (const auto& [table, ids] : owners) {
    Query update(session,
                 absl::StrCat("UPDATE ", table, " SET dropped_count = dropped_count + d.dropped",
                              " FROM (SELECT id, sum(n)::bigint AS dropped FROM"
                              " unnest($1::bigint[], $2::bigint[]) AS u (id, n) GROUP BY id) d"
                              " WHERE ",
                              table, "_id = d.id AND d.dropped > 0"));
    status = update.BindAll(ids).BindAll(dropped).Run();
    if (!status.ok()) return status;
  }
  return status;
}

absl::StatusOr<ObservationCount> SumReports(Session& session, std::optional<int64_t> job_id,
                                            std::optional<int64_t> source_id,
                                            std::optional<int64_t> machine_id) {
  struct Part {
    const char* column;
    const std::optional<int64_t>& id;
  };
  std::string sql =
      "SELECT coalesce(sum(CASE WHEN machine_id IN (SELECT machine_id FROM machine"
      " WHERE name IS NULL) THEN 0 ELSE observation_count END), 0)::bigint,"
      " coalesce(sum(dropped_count), 0)::bigint FROM report_count WHERE true";
  std::vector<int64_t> ids;
  for (const Part& part :
       {Part{"job_id", job_id}, Part{"source_id", source_id}, Part{"machine_id", machine_id}}) {
    if (!part.id) continue;
    ids.push_back(*part.id);
    absl::StrAppend(&sql, " AND ", part.column, " = $", ids.size());
  }
  Query query(session, sql);
  for (const int64_t id : ids) query.Bind(id);
  ObservationCount count;
  if (query.Next()) count = {query.Int(0), query.Int(1)};
  if (!query.status().ok()) return query.status();
  return count;
}

absl::Status ForgetMachineReports(Session& session, int64_t machine_id) {
  Query keep(session,
             absl::StrCat("INSERT INTO report_count SELECT job_id, source_id, 0, 0, dropped_count"
                          " FROM report_count WHERE machine_id = $1 AND dropped_count > 0",
                          kAddTo));
  if (absl::Status status = keep.Bind(machine_id).Run(); !status.ok()) return status;
  Query remove(session, "DELETE FROM report_count WHERE machine_id = $1");
  return remove.Bind(machine_id).Run();
}

}  // namespace cox::store::postgres
