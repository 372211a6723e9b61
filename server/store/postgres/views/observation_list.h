// Reads observations. Adding them is ingest.h's business, removing them forget.h's. No transaction
// of its own: callers hold a snapshot.
//
// Thread rule: the session's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_POSTGRES_VIEWS_OBSERVATION_LIST_H_
#define COX_STORE_POSTGRES_VIEWS_OBSERVATION_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// Cost: O(limit), and the rows that the filter passes over up to filter.until_id.
absl::StatusOr<std::vector<ObservationRecord>> ReadObservations(Session& session,
                                                                const ObservationFilter& filter,
                                                                int64_t after_id, int64_t limit);
// Cost: O(row_limit), and O(batches) of a job or source.
absl::StatusOr<int64_t> FindScanEnd(Session& session, const ObservationFilter& filter,
                                    int64_t after_id, int64_t row_limit);
// Cost: O(scenarios) for all or a machine, O(jobs x machines) of a source, O(machines) of a job.
absl::StatusOr<ObservationCount> ReadObservationCount(Session& session,
                                                      const ObservationFilter& filter);

// As of the last commit; cost: O(1).
absl::StatusOr<int64_t> ReadLastObservationId(Session& session);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_VIEWS_OBSERVATION_LIST_H_
