// Summaries of the store's content, for dashboards. Plain data.
#ifndef COX_STORE_HISTORY_H_
#define COX_STORE_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/cell_key.h"
#include "domain/drift.h"
#include "store/cell.h"
#include "store/records.h"

namespace cox::store {

// Instants are microseconds since the Unix epoch, UTC.

// A machine and what has happened to it.
struct MachineState {
  MachineRecord machine;
  int64_t revision = 0;         // of the active profile; 0: none
  int64_t profile_time_us = 0;  // when that revision was added
  ObservationCount count{};
  int64_t job_count = 0;                            // jobs that have reported
  std::optional<int64_t> last_observation_time_us;  // when the last stored one was measured
  int64_t drift_count = 0;
  std::optional<domain::Drift> last_drift;
};

// Whether ListMachineStates() reads `count` and `job_count`, which costs a step for each reporter.
enum class StateDetail { kWithReports, kWithoutReports };

// A job with observations of at least one machine that exists. The agents of a job on several nodes
// report as JOB@NODE: these are one job, JOB.
struct JobRecord {
  int64_t last_batch_id = 0;  // unique: where the next page of ListJobs() continues
  std::string name{};
  std::vector<std::string> machines{};
  std::string source{};  // of several the last in order; "": none
  ObservationCount count{};
  int64_t first_time_us = 0;   // when its first stored observation was measured
  int64_t last_time_us = 0;    // the same of its last one
  int64_t reporter_count = 0;  // names under which it has reported
};

struct JobFilter {
  std::string machine{};                   // "" = all
  std::optional<int64_t> start_time_us{};  // measured at this time or later
  std::optional<int64_t> end_time_us{};    // measured before this time
};

struct SummaryFilter {
  ObservationFilter reporter{};  // a job means its JOB@NODE, too
  std::string library{};         // "" = all; the same below
  std::string collective{};
  std::string algorithm{};
  std::optional<int64_t> start_time_us{};  // measured at this time or later
  std::optional<int64_t> end_time_us{};    // measured before this time
  int64_t bucket_us = 0;                   // length of a time bucket; 0: one bucket for all time
  int64_t newest = 0;                      // how many observations of the reporter are read
  size_t most_rows = SIZE_MAX;             // of the summary; no older observation is read then
};

// The observations of one scenario in one time bucket.
struct SummaryRow {
  domain::ScenarioKey scenario{};
  int64_t start_time_us = 0;  // of the bucket; 0 if there is one for all time
  int64_t timing_count = 0;   // timings behind the observations
  double total_time_s = 0;    // sum of count times time_s
  Cell cell{};
};

struct Summary {
  std::vector<SummaryRow> rows;  // by bucket, then by scenario
  bool has_older = false;        // the reporter has observations that were not read
};

}  // namespace cox::store

#endif  // COX_STORE_HISTORY_H_
