// The rows of audit: who changed what when. They are only added; a trigger refuses everything else.
// No transaction of its own: a row goes into the transaction of its change.
//
// Thread rule: the session's. Failure rule: as session.h.
#ifndef COX_STORE_POSTGRES_ROWS_AUDIT_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_AUDIT_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// The record's id is ignored. Adds nothing if its actor is the daemon itself.
absl::Status InsertAudit(Session& session, const AuditRecord& record);

// As Store::ListAudit() says. Cost: the rows of the principal or machine of the filter.
absl::StatusOr<std::vector<AuditRecord>> ReadAudit(Session& session, const AuditFilter& filter,
                                                   int64_t before_id, int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_AUDIT_ROWS_H_
