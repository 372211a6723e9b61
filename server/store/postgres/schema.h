// Makes and migrates the tables of Coxswain in a PostgreSQL database, in a schema of their own
// named coxswain. Daemons that start at once wait for each other. Older daemons may use the tables:
// each of them waits while a migration runs, and none is refused.
//
// Thread rule: the session's. Failure rule: FAILED_PRECONDITION (tables of a newer program; an
// unfinished copy; a server that does not keep what it has committed), DEADLINE_EXCEEDED (somebody
// has used a table for a minute), and what session.h says.
// After an error the tables are as before.
#ifndef COX_STORE_POSTGRES_SCHEMA_H_
#define COX_STORE_POSTGRES_SCHEMA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/migration.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

// For every connection: names without a schema are Coxswain's, a commit waits for the disk, and the
// server ends a statement soon after its client has gone.
inline constexpr const char* kSetUp =
    "SET search_path TO coxswain;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off';"
    "SELECT set_config(name, '1000', false) FROM pg_settings"
    " WHERE name = 'client_connection_check_interval'";

// Until the end of the transaction nobody else writes: every writer begins with this row.
inline constexpr const char* kLockOutWriters = "SELECT 1 FROM next_id FOR UPDATE";

// BEGIN of a transaction that locks others out. Where its client is stopped or cut off, the server
// soon ends it, so that the others go on.
inline constexpr const char* kBeginBriefly =
    "BEGIN;SET LOCAL idle_in_transaction_session_timeout = '5s';"
    "SET LOCAL tcp_keepalives_idle = 5;SET LOCAL tcp_keepalives_interval = 2;"
    "SET LOCAL tcp_keepalives_count = 3";

// `migrations`: Migrations() in the daemon; tests pass more or fewer.
absl::Status Migrate(Session& session, absl::Span<const Migration> migrations);

// The version of the tables.
absl::StatusOr<int64_t> SchemaVersion(Session& session);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_SCHEMA_H_
