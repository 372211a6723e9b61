// The rows of report_count: observations and dropped timings per job, source and machine. No
// transaction of its own.
//
// Thread rule: the connection's. Failure rule: as database.h.
#ifndef COX_STORE_SQLITE_REPORT_COUNT_H_
#define COX_STORE_SQLITE_REPORT_COUNT_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

struct ReportKey {
  int64_t job_id = 0;
  int64_t source_id = 0;   // 0: none
  int64_t machine_id = 0;  // 0: none
};

// Adds to the counts of a key.
absl::Status AddReports(Database& db, const ReportKey& key, const ObservationCount& count);

// Sums over the rows of a job, a source, or both; of one machine or of all. Observations of deleted
// machines do not count, dropped timings do. Cost: their rows.
absl::StatusOr<ObservationCount> SumReports(Database& db, std::optional<int64_t> job_id,
                                            std::optional<int64_t> source_id,
                                            std::optional<int64_t> machine_id);

// Before a deleted machine's id can be used again: keeps its dropped timings only.
absl::Status ForgetMachineReports(Database& db, int64_t machine_id);

// Makes all rows anew. Cost: all observations.
absl::Status RebuildReportCounts(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_REPORT_COUNT_H_
