// The rows of audit: who changed what when. They are only added; triggers refuse everything else.
// No transaction of its own: a row goes into the transaction of its change.
//
// Thread rule: the connection's. Failure rule: as database.h.
#ifndef COX_STORE_SQLITE_AUDIT_AUDIT_TABLE_H_
#define COX_STORE_SQLITE_AUDIT_AUDIT_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// The record's id is ignored. Adds nothing if its actor is the daemon itself.
absl::Status InsertAudit(Database& db, const AuditRecord& record);

// A row for each machine of an import, with the number of its observations.
absl::Status InsertImportAudit(Database& db, const ObservationBatch& batch, int64_t time_us);

// As Store::ListAudit() says. Cost: the rows of the principal or machine of the filter.
absl::StatusOr<std::vector<AuditRecord>> ReadAudit(Database& db, const AuditFilter& filter,
                                                   int64_t before_id, int64_t limit);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_AUDIT_AUDIT_TABLE_H_
