// The rows of report_count: observations and dropped timings per job, source and machine. No
// transaction of its own.
//
// Thread rule: the session's. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_ROWS_REPORT_COUNTS_H_
#define COX_STORE_POSTGRES_ROWS_REPORT_COUNTS_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

struct ReportKey {
  int64_t job_id = 0;
  int64_t source_id = 0;   // 0: none
  int64_t machine_id = 0;  // 0: none
  friend bool operator==(const ReportKey&, const ReportKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ReportKey& key) {
    return H::combine(std::move(h), key.job_id, key.source_id, key.machine_id);
  }
};
using ReportCounts = absl::flat_hash_map<ReportKey, ObservationCount>;

// Adds to the counts, and dropped timings also to those of jobs and machines.
absl::Status AddReports(Session& session, const ReportCounts& counts);

// Sums over the rows of a job, a source, or both; of one machine or of all. Observations of deleted
// machines do not count, dropped timings do. Cost: their rows.
absl::StatusOr<ObservationCount> SumReports(Session& session, std::optional<int64_t> job_id,
                                            std::optional<int64_t> source_id,
                                            std::optional<int64_t> machine_id);

// Before a deleted machine's rows go: keeps its dropped timings only.
absl::Status ForgetMachineReports(Session& session, int64_t machine_id);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_REPORT_COUNTS_H_
