// Remembers the outcome of writes that carried a request id, so that a resend has no second effect.
// Bounded by age and number: it drops older ids, and their resend is a new request.
//
// Thread rule: the session's, inside a write. Failure rule: as session.h; ALREADY_EXISTS for an id
// that was used with another method or subject.
#ifndef COX_STORE_POSTGRES_ROWS_REQUEST_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_REQUEST_ROWS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/request.h"

namespace cox::store::postgres {

// The first outcome, if this is a resend.
absl::StatusOr<std::optional<int64_t>> FindOutcome(Session& session, const Request& request,
                                                   int64_t now_us);
// Stores the outcome of a request that has an id, and drops the oldest ids beyond kRequestsKept.
absl::Status RecordOutcome(Session& session, const Request& request, int64_t outcome,
                           int64_t now_us);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_REQUEST_ROWS_H_
