// Reads observations. Adding them is ingest.h's business, removing them forget.h's. No transaction
// of its own: callers hold a snapshot.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_SQLITE_READ_OBSERVATIONS_H_
#define COX_STORE_SQLITE_READ_OBSERVATIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Cost: O(limit), and the rows that the filter passes over up to filter.until_id.
absl::StatusOr<std::vector<ObservationRecord>> ReadObservations(Database& db,
                                                                const ObservationFilter& filter,
                                                                int64_t after_id, int64_t limit);
// Cost: O(row_limit).
absl::StatusOr<int64_t> FindScanEnd(Database& db, const ObservationFilter& filter, int64_t after_id,
                                    int64_t row_limit);
// Cost: O(scenarios) for all or a machine, O(jobs x machines) of a source, O(machines) of a job.
absl::StatusOr<ObservationCount> ReadObservationCount(Database& db,
                                                      const ObservationFilter& filter);

// As of the last commit; cost: O(1).
absl::StatusOr<int64_t> ReadLastObservationId(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_READ_OBSERVATIONS_H_
