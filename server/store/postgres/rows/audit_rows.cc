#include "store/postgres/rows/audit_rows.h"

#include <limits>

#include "store/postgres/connection/query.h"
#include "store/row_readers.h"

namespace cox::store::postgres {

absl::Status InsertAudit(Session& session, const AuditRecord& record) {
  if (record.actor.principal.empty()) return absl::OkStatus();
  Query insert(session,
               "INSERT INTO audit (time_us, principal, method, machine, change)"
               " VALUES ($1, $2, $3, $4, $5)");
  insert.Bind(record.time_us);
  insert.Bind(absl::string_view(record.actor.principal));
  insert.Bind(absl::string_view(record.actor.method));
  insert.Bind(absl::string_view(record.machine)).Bind(absl::string_view(record.change));
  return insert.Run();
}

absl::StatusOr<std::vector<AuditRecord>> ReadAudit(Session& session, const AuditFilter& filter,
                                                   int64_t before_id, int64_t limit) {
  Query query(session,
              "SELECT audit_id, time_us, principal, method, machine, change FROM audit"
              " WHERE audit_id < $1 AND time_us >= $2 AND ($3 = '' OR principal = $3)"
              " AND ($4 = '' OR machine = $4) ORDER BY audit_id DESC LIMIT $5");
  query.Bind(before_id == 0 ? std::numeric_limits<int64_t>::max() : before_id);
  query.Bind(filter.since_us);
  query.Bind(absl::string_view(filter.principal)).Bind(absl::string_view(filter.machine));
  query.Bind(limit);
  std::vector<AuditRecord> records;
  while (query.Next()) records.push_back(AuditOf(query));
  if (!query.status().ok()) return query.status();
  return records;
}

}  // namespace cox::store::postgres
