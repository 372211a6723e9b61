// Remembers the outcome of writes that carried a request id, so that a resend has no second effect.
// Bounded by age and number: it drops older ids, and their resend is a new request.
//
// Thread rule: the writer's thread, inside a write. Failure rule: as database.h; ALREADY_EXISTS for
// an id that was used with another method or subject.
#ifndef COX_STORE_SQLITE_REQUEST_LOG_H_
#define COX_STORE_SQLITE_REQUEST_LOG_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/limits.h"
#include "store/request.h"
#include "store/sqlite/database.h"

namespace cox::store {

// The first outcome, if this is a resend.
absl::StatusOr<std::optional<int64_t>> FindOutcome(Database& db, const Request& request,
                                                   int64_t now_us);
// Stores the outcome of a request that has an id, and drops the oldest ids beyond kRequestsKept.
absl::Status RecordOutcome(Database& db, const Request& request, int64_t outcome, int64_t now_us);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_REQUEST_LOG_H_
