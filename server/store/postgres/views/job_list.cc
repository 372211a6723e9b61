#include "store/postgres/views/job_list.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/views/whole_job.h"
#include "store/row_readers.h"

namespace cox::store::postgres {
namespace {

// Names of machines have no comma. A batch without observations has no time: the subquery takes
// the nearest batch of the job that has one. The oldest observations may be summed up.
std::string Jobs() {
  return absl::StrCat(
      "WITH reported AS ("
      "  SELECT r.job_id, string_agg(DISTINCT m.name, ',') AS machines, max(q.name) AS source,"
      "    sum(r.observation_count)::bigint AS observations, sum(r.dropped_count)::bigint AS "
      "dropped"
      "  FROM report_count r JOIN machine m USING (machine_id) LEFT JOIN source q USING (source_id)"
      "  WHERE m.name IS NOT NULL AND ($1 = 0 OR r.machine_id = $1)"
      "  GROUP BY r.job_id HAVING sum(r.observation_count) > 0),"
      " timed AS ("
      "  SELECT reported.*, ",
      kWholeJob,
      " AS name,"
      "    (SELECT max(batch_id) FROM batch b WHERE b.job_id = j.job_id) AS last_batch_id,"
      "    coalesce((SELECT min(first_us) FROM old_sum q WHERE q.job_id = j.job_id),"
      "     (SELECT o.at_us FROM batch b JOIN observation o"
      "       ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1"
      "     WHERE b.job_id = j.job_id ORDER BY b.batch_id, o.observation_id LIMIT 1)) AS first_us,"
      "    coalesce((SELECT o.at_us FROM batch b JOIN observation o"
      "       ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1"
      "     WHERE b.job_id = j.job_id ORDER BY b.batch_id DESC, o.observation_id DESC LIMIT 1),"
      "     (SELECT max(last_us) FROM old_sum q WHERE q.job_id = j.job_id)) AS last_us"
      "  FROM reported JOIN job j USING (job_id)),"
      " whole AS ("
      "  SELECT max(last_batch_id) AS last_batch_id, name, string_agg(machines, ',') AS machines,"
      "    coalesce(max(source), '') AS source, sum(observations)::bigint AS observations,"
      "    sum(dropped)::bigint AS dropped, coalesce(min(first_us), 0) AS first_us,"
      "    coalesce(max(last_us), 0) AS last_us, count(*) AS reporters"
      "  FROM timed WHERE name <> '' GROUP BY name)"
      " SELECT last_batch_id, name, machines, source, observations, dropped, first_us, last_us,"
      "   reporters FROM whole"
      " WHERE last_batch_id < $2 AND last_us >= $3 AND first_us < $4"
      " ORDER BY last_batch_id DESC LIMIT $5");
}

}  // namespace

absl::StatusOr<std::vector<JobRecord>> ReadJobs(Session& session, const JobFilter& filter,
                                                int64_t before_batch_id, int64_t limit) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t machine = 0;
  if (!filter.machine.empty()) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(session, filter.machine);
    if (!machine_id.ok()) return machine_id.status();
    machine = *machine_id;
  }
  Query query(session, Jobs());
  query.Bind(machine).Bind(before_batch_id == 0 ? Limits::max() : before_batch_id);
  query.Bind(filter.start_time_us.value_or(Limits::min()));
  query.Bind(filter.end_time_us.value_or(Limits::max())).Bind(limit);
  std::vector<JobRecord> jobs;
  while (query.Next()) jobs.push_back(JobOf(query));
  if (!query.status().ok()) return query.status();
  return jobs;
}

}  // namespace cox::store::postgres
