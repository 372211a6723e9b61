// Jobs that have reported. No transaction of its own: callers hold a snapshot.
//
// Thread rule: the connection's. Failure rule: as store.h says for ListJobs.
#ifndef COX_STORE_SQLITE_VIEWS_JOB_LIST_H_
#define COX_STORE_SQLITE_VIEWS_JOB_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "store/history.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Cost: the rows of jobs in report_count and in the index of batches, however many observations
// they have.
absl::StatusOr<std::vector<JobRecord>> ReadJobs(Database& db, const JobFilter& filter,
                                                int64_t before_batch_id, int64_t limit);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_VIEWS_JOB_LIST_H_
