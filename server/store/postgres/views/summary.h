// Observations summed up by scenario and time bucket. No transaction of its own: callers hold a
// snapshot.
//
// Thread rule: the session's. Failure rule: as store.h says for Summarize.
#ifndef COX_STORE_POSTGRES_VIEWS_SUMMARY_H_
#define COX_STORE_POSTGRES_VIEWS_SUMMARY_H_

#include "absl/status/statusor.h"
#include "store/history.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

// Cost: filter.newest observations of the reporter; memory: the rows of the answer.
absl::StatusOr<Summary> ReadSummary(Session& session, const SummaryFilter& filter);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_VIEWS_SUMMARY_H_
