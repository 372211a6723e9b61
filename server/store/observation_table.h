// Reads observations and cells, and removes a job's. Adding them is ingest.h's business. No
// transaction of its own: callers of the reading functions hold a snapshot.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_OBSERVATION_TABLE_H_
#define COX_STORE_OBSERVATION_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/database.h"
#include "store/records.h"

namespace cox::store {

// Cost: O(limit), with or without filters (with both, plus the job's rows on other machines).
absl::StatusOr<std::vector<ObservationRecord>> ReadObservations(Database& db,
                                                                const ObservationFilter& filter,
                                                                int64_t after_id, int64_t limit);
// Cost: O(scenarios) for all or a machine, O(rows of the job) for a job.
absl::StatusOr<ObservationCount> ReadObservationCount(Database& db,
                                                      const ObservationFilter& filter);
absl::StatusOr<std::vector<CellRecord>> ReadCells(Database& db, absl::string_view machine);

// As of the last commit; cost: O(1).
absl::StatusOr<int64_t> ReadLastObservationId(Database& db);

// Removes all that a job reported, its name and its sequence numbers too: what it reports
// afterwards is new. Returns the number of observations. Cost: O(rows of the job).
absl::StatusOr<int64_t> RemoveJob(Database& db, absl::string_view job);

}  // namespace cox::store

#endif  // COX_STORE_OBSERVATION_TABLE_H_
