// Merges old jobs into what their sources have reported without a job, and removes their batches:
// the steps that are the same for every engine, in SQL that each understands. In a write.
//
// Thread rule: the connection's. Failure rule: the connection's.
#ifndef COX_STORE_STEPS_OLD_JOBS_H_
#define COX_STORE_STEPS_OLD_JOBS_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/day_sum.h"
#include "store/records.h"

namespace cox::store {

// Gives the sums of the job `from` to the job `to`.
using MoveSums = std::function<absl::Status(int64_t from, int64_t to)>;

template <typename Query, typename Connection>
class OldJobMerger {
 public:
  OldJobMerger(Connection& connection, MoveSums move_sums)
      : connection_(connection), move_sums_(std::move(move_sums)) {}

  // Looks at `limit` batches at most.
  absl::StatusOr<MergedJobs> Step(const OldJobs& old, int64_t now_us, int64_t limit) {
    const int64_t today = DayOf(now_us);
    Query mark(connection_,
               "INSERT INTO id_of_day SELECT $1, observation_id FROM next_id WHERE true"
               " ON CONFLICT DO NOTHING");
    mark.Bind(today);
    if (absl::Status status = mark.Run(); !status.ok()) return status;
    // A look at which the clock was behind has an old day with a recent id; one at which it was
    // ahead has a day that is still to come.
    Query before(connection_,
                 "SELECT coalesce(max(first_id), 0) FROM id_of_day WHERE day < $1 AND first_id <="
                 " (SELECT min(first_id) FROM id_of_day WHERE day BETWEEN $1 AND $2)");
    before.Bind(today - old.age_days).Bind(today);
    const absl::StatusOr<int64_t> before_id = before.Number();
    if (!before_id.ok()) return before_id.status();
    const absl::StatusOr<std::vector<Batch>> batches = OldBatches(old, *before_id, limit);
    if (!batches.ok()) return batches.status();
    MergedJobs merged;
    for (const Batch& batch : *batches) {
      merged.through_batch_id = batch.id;
      if (batch.has_rows) continue;
      if (absl::Status status = Remove(batch, merged); !status.ok()) return status;
    }
    merged.has_more = static_cast<int64_t>(batches->size()) == limit;
    return merged;
  }

 private:
  struct Batch {
    int64_t id;
    int64_t job_id;
    bool has_job;   // with a name
    bool has_rows;  // which are not summed up
  };

  absl::StatusOr<std::vector<Batch>> OldBatches(const OldJobs& old, int64_t before_id,
                                                int64_t limit) {
    Query query(connection_,
                "SELECT b.batch_id, b.job_id, CASE WHEN j.name = '' THEN 0 ELSE 1 END,"
                " (SELECT count(*) FROM (SELECT 1 FROM observation o WHERE o.observation_id"
                "  BETWEEN b.batch_id AND b.batch_id + b.id_count - 1 LIMIT 1) r)"
                " FROM batch b JOIN job j ON j.job_id = b.job_id"
                " WHERE b.batch_id > $1 AND b.batch_id < $2 ORDER BY b.batch_id LIMIT $3");
    query.Bind(old.after_batch_id).Bind(before_id).Bind(limit);
    std::vector<Batch> batches;
    while (query.Next()) {
      batches.push_back({query.Int(0), query.Int(1), query.Int(2) != 0, query.Int(3) != 0});
    }
    if (!query.status().ok()) return query.status();
    return batches;
  }

  // The last batch of a job goes with the job, so that lists of jobs do not change before.
  absl::Status Remove(const Batch& batch, MergedJobs& merged) {
    if (batch.has_job) {
      const absl::StatusOr<int64_t> newer = Number(
          "SELECT count(*) FROM (SELECT 1 FROM batch WHERE job_id = $1 AND batch_id > $2"
          " LIMIT 1) n",
          batch.job_id, batch.id);
      if (!newer.ok()) return newer.status();
      const absl::StatusOr<int64_t> older = Number(
          "SELECT count(*) FROM (SELECT 1 FROM batch WHERE job_id = $1 AND batch_id < $2"
          " LIMIT 1) n",
          batch.job_id, batch.id);
      if (!older.ok()) return older.status();
      if (*newer == 0 && *older > 0) return absl::OkStatus();
      if (*newer == 0) {
        ++merged.job_count;
        ++merged.batch_count;
        absl::Status removed = Run("DELETE FROM batch WHERE batch_id = $1", batch.id);
        return removed.ok() ? Merge(batch.job_id) : removed;
      }
    }
    ++merged.batch_count;
    return Run("DELETE FROM batch WHERE batch_id = $1", batch.id);
  }

  absl::Status Merge(int64_t job_id) {
    const absl::StatusOr<int64_t> nobody = IdOfNobody();
    if (!nobody.ok()) return nobody.status();
    absl::Status status = move_sums_(job_id, *nobody);
    if (status.ok()) {
      status =
          Run("INSERT INTO report_count SELECT $1, source_id, machine_id, observation_count,"
              " dropped_count FROM report_count WHERE job_id = $2"
              " ON CONFLICT (job_id, source_id, machine_id) DO UPDATE SET"
              " observation_count = report_count.observation_count + excluded.observation_count,"
              " dropped_count = report_count.dropped_count + excluded.dropped_count",
              *nobody, job_id);
    }
    if (status.ok()) status = Run("DELETE FROM report_count WHERE job_id = $1", job_id);
    if (status.ok()) {
      status =
          Run("UPDATE job SET dropped_count = dropped_count +"
              " (SELECT f.dropped_count FROM job f WHERE f.job_id = $1) WHERE job_id = $2",
              job_id, *nobody);
    }
    // Its sketches, of which a machine keeps few, still have its name.
    if (status.ok()) status = Run("UPDATE job SET dropped_count = 0 WHERE job_id = $1", job_id);
    if (status.ok()) {
      status =
          Run("DELETE FROM job WHERE job_id = $1 AND NOT EXISTS"
              " (SELECT 1 FROM pattern_sketch WHERE pattern_sketch.job_id = $1)",
              job_id);
    }
    return status;
  }

  // The row of the table job for reports without a job.
  absl::StatusOr<int64_t> IdOfNobody() {
    if (nobody_ != 0) return nobody_;
    constexpr const char* kFind = "SELECT job_id FROM job WHERE name = ''";
    absl::StatusOr<int64_t> id = Query(connection_, kFind).Number();
    if (id.ok() && *id == 0) {
      absl::Status added = Query(connection_, "INSERT INTO job (name) VALUES ('')").Run();
      if (!added.ok()) return added;
      id = Query(connection_, kFind).Number();
    }
    if (id.ok()) nobody_ = *id;
    return id;
  }

  template <typename... Values>
  absl::Status Run(const char* sql, Values... values) {
    Query query(connection_, sql);
    (query.Bind(values), ...);
    return query.Run();
  }
  template <typename... Values>
  absl::StatusOr<int64_t> Number(const char* sql, Values... values) {
    Query query(connection_, sql);
    (query.Bind(values), ...);
    return query.Number();
  }

  Connection& connection_;
  const MoveSums move_sums_;
  int64_t nobody_ = 0;
};

}  // namespace cox::store

#endif  // COX_STORE_STEPS_OLD_JOBS_H_
