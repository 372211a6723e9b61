// Removes everything that a job or a source has reported, as if it had never reported. No
// transaction of its own.
//
// Thread rule: the session's. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_FORGET_H_
#define COX_STORE_POSTGRES_FORGET_H_

#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// Also removes its sequence numbers, so that later reports are not resends.
// Cost: O(rows of the job or source), plus all rows of machines with a drift noticed since.
absl::StatusOr<Forgotten> RemoveReports(Session& session, const Reporter& reporter);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_FORGET_H_
