// Observations summed up by scenario and time bucket. No transaction of its own: callers hold a
// snapshot.
//
// Thread rule: the connection's. Failure rule: as store.h says for Summarize.
#ifndef COX_STORE_SQLITE_VIEWS_SUMMARY_H_
#define COX_STORE_SQLITE_VIEWS_SUMMARY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/history.h"
#include "store/limits.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Cost: filter.newest observations of the reporter; memory: the rows of the answer.
absl::StatusOr<Summary> ReadSummary(Database& db, const SummaryFilter& filter);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_VIEWS_SUMMARY_H_
