// Removes everything that a job or a source has reported, as if it had never reported. No
// transaction of its own.
//
// Thread rule: the connection's. Failure rule: as database.h.
#ifndef COX_STORE_SQLITE_FORGET_H_
#define COX_STORE_SQLITE_FORGET_H_

#include "absl/status/statusor.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Also removes its sequence numbers, so that later reports are not resends.
// Cost: O(rows of the job or source), plus all rows of machines with a drift that goes.
absl::StatusOr<Forgotten> RemoveReports(Database& db, const Reporter& reporter);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FORGET_H_
