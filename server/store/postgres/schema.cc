#include "store/postgres/schema.h"

#include <chrono>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "store/postgres/connection/query.h"

namespace cox::store::postgres {
namespace {

// "COXS". Held until the transaction ends.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(1129273427)";

// Older daemons write and read meanwhile. Writers begin with next_id, so none holds what a
// migration waits for; readers may, and may wait for what it has. It gives up before the server's
// deadlock_timeout of 1 s takes one of the two for a victim, lets them read on, and tries again.
constexpr const char* kLockTimeout = "SET LOCAL lock_timeout = '500ms'";
constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::seconds kMigrationPatience{60};
// A migration may work on whole tables.
constexpr std::chrono::hours kMostSilenceOfMigrations{24};

constexpr const char* kVersionTable =
    "CREATE SCHEMA IF NOT EXISTS coxswain;"
    "CREATE TABLE IF NOT EXISTS coxswain.schema_version (version bigint NOT NULL);"
    "INSERT INTO coxswain.schema_version SELECT 0"
    " WHERE NOT EXISTS (SELECT 1 FROM coxswain.schema_version)";

absl::Status CheckServer(Session& session) {
  for (const char* const name : {"fsync", "full_page_writes"}) {
    Query query(session, "SELECT current_setting($1)");
    query.Bind(absl::string_view(name));
    if (query.Next() && query.Text(0) == "off") {
      return absl::FailedPreconditionError(absl::StrCat(
          "PostgreSQL has ", name, " = off and can lose what it has committed: set it to on"));
    }
    if (!query.status().ok()) return query.status();
  }
  Query query(session, "SELECT current_setting('server_encoding')");
  if (query.Next() && query.Text(0) != "UTF8") {
    return absl::FailedPreconditionError(absl::StrCat(
        "the database has the encoding ", query.Text(0), ": create it with ENCODING 'UTF8'"));
  }
  return query.status();
}

// A daemon that began with empty tables beside it would hide that the copy has not ended.
absl::Status CheckNoCopy(Session& session) {
  const absl::StatusOr<int64_t> count =
      Query(session, "SELECT count(*) FROM pg_namespace WHERE nspname = 'coxswain_copy'").Number();
  if (!count.ok()) return count.status();
  if (*count == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "a copy into this database has not ended: run coxd --copy-from again, or drop schema"
      " coxswain_copy");
}

absl::Status Apply(Session& session, const Migration& migration) {
  absl::Status status = session.Execute(migration.sql);
  if (status.ok()) {
    status =
        session.Execute(absl::StrCat("UPDATE schema_version SET version = ", migration.version));
  }
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("migration postgres/", migration.file, ": ", status.message()));
}

absl::Status ApplyAll(Session& session, absl::Span<const Migration> migrations) {
  if (absl::Status status = session.Execute(kLock); !status.ok()) return status;
  if (absl::Status status = CheckNoCopy(session); !status.ok()) return status;
  if (absl::Status status = session.Execute(kVersionTable); !status.ok()) return status;
  const absl::StatusOr<int64_t> version = SchemaVersion(session);
  if (!version.ok()) return version.status();
  const int newest = migrations.back().version;
  if (*version > newest) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the database has schema version ", *version, ", this program knows ", newest,
        ": run the newer coxd that wrote it, or restore a backup from before the upgrade"));
  }
  if (*version > 0 && *version < newest) {
    absl::Status status = session.Execute(absl::StrCat(kLockTimeout, ";", kLockOutWriters));
    if (!status.ok()) return status;
  }
  for (const Migration& migration : migrations) {
    if (migration.version <= *version) continue;
    if (absl::Status status = Apply(session, migration); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TryMigrate(Session& session, absl::Span<const Migration> migrations) {
  absl::Status status = session.Execute(kBeginBriefly);
  if (status.ok()) status = ApplyAll(session, migrations);
  if (status.ok()) return session.Commit();
  if (session.IsConnected()) session.Execute("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace

absl::Status Migrate(Session& session, absl::Span<const Migration> migrations) {
  if (absl::Status status = CheckServer(session); !status.ok()) return status;
  session.AllowSilence(kMostSilenceOfMigrations);
  const auto until = std::chrono::steady_clock::now() + kMigrationPatience;
  while (true) {
    absl::Status status = TryMigrate(session, migrations);
    if (!absl::IsDeadlineExceeded(status) || std::chrono::steady_clock::now() >= until) {
      return status;
    }
    std::this_thread::sleep_for(kPause);
  }
}

absl::StatusOr<int64_t> SchemaVersion(Session& session) {
  return Query(session, "SELECT version FROM schema_version").Number();
}

}  // namespace cox::store::postgres
