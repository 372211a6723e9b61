#include "store/sqlite/audit/audit_table.h"

#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "store/row_readers.h"
#include "store/words.h"

namespace cox::store {

absl::Status InsertAudit(Database& db, const AuditRecord& record) {
  if (record.actor.principal.empty()) return absl::OkStatus();
  Query insert(db,
               "INSERT INTO audit (time_us, principal, method, machine, change)"
               " VALUES (?, ?, ?, ?, ?)");
  insert.Bind(record.time_us);
  insert.Bind(absl::string_view(record.actor.principal));
  insert.Bind(absl::string_view(record.actor.method));
  insert.Bind(absl::string_view(record.machine)).Bind(absl::string_view(record.change));
  return insert.Run();
}

absl::Status InsertImportAudit(Database& db, const ObservationBatch& batch, int64_t time_us) {
  for (const AuditRecord& record : ImportAudit(batch, time_us)) {
    if (absl::Status status = InsertAudit(db, record); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AuditRecord>> ReadAudit(Database& db, const AuditFilter& filter,
                                                   int64_t before_id, int64_t limit) {
  std::string sql =
      "SELECT audit_id, time_us, principal, method, machine, change FROM audit"
      " WHERE audit_id < ? AND time_us >= ?";
  if (!filter.principal.empty()) sql += " AND principal = ?";
  if (!filter.machine.empty()) sql += " AND machine = ?";
  sql += " ORDER BY audit_id DESC LIMIT ?";
  Query query(db, sql);
  query.Bind(before_id == 0 ? std::numeric_limits<int64_t>::max() : before_id);
  query.Bind(filter.since_us);
  if (!filter.principal.empty()) query.Bind(absl::string_view(filter.principal));
  if (!filter.machine.empty()) query.Bind(absl::string_view(filter.machine));
  query.Bind(limit);
  std::vector<AuditRecord> records;
  while (query.Next()) records.push_back(AuditOf(query));
  if (!query.status().ok()) return query.status();
  return records;
}

}  // namespace cox::store
