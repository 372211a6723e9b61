// Jobs that have reported. No transaction of its own: callers hold a snapshot.
//
// Thread rule: the session's. Failure rule: as store.h says for ListJobs.
#ifndef COX_STORE_POSTGRES_VIEWS_JOB_LIST_H_
#define COX_STORE_POSTGRES_VIEWS_JOB_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "store/history.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

// Cost: the rows of jobs in report_count and in the index of batches, however many observations
// they have.
absl::StatusOr<std::vector<JobRecord>> ReadJobs(Session& session, const JobFilter& filter,
                                                int64_t before_batch_id, int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_VIEWS_JOB_LIST_H_
