#include "store/copy/postgres_side.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/copy/row.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/connection/session_pool.h"
#include "store/postgres/migrations.h"
#include "store/postgres/partitions.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

using postgres::Session;

// "COXT", of the session.
constexpr const char* kCopyLock = "SELECT pg_try_advisory_lock(1129273428)::int::bigint";

absl::StatusOr<int64_t> Number(Session& session, const std::string& sql) {
  return postgres::Query(session, sql).Number();
}

absl::StatusOr<bool> HasSchema(Session& session, absl::string_view name) {
  const absl::StatusOr<int64_t> count = Number(
      session, absl::StrCat("SELECT count(*) FROM pg_namespace WHERE nspname = '", name, "'"));
  if (!count.ok()) return count.status();
  return *count > 0;
}

absl::Status ReadRows(Session& session, const CopiedTable& table, const IdRange* ids,
                      const Side::TakeRow& take) {
  std::string sql = absl::StrCat("SELECT ", table.columns, " FROM ", table.name);
  if (ids != nullptr) absl::StrAppend(&sql, " WHERE observation_id >= $1 AND observation_id < $2");
  postgres::Query query(session, sql);
  if (ids != nullptr) query.Bind(ids->begin).Bind(ids->end);
  query.Stream();
  return TakeRows(query, table, take);
}

class PostgresSource : public Source {
 public:
  explicit PostgresSource(const std::string& url) : session_(url, postgres::kSetUp) {}

  // A daemon that writes meanwhile may note the next changes of cells before the snapshot.
  absl::Status Open() {
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
      const absl::StatusOr<bool> is_whole = TakeSnapshot();
      if (!is_whole.ok()) return is_whole.status();
      if (*is_whole) return absl::OkStatus();
      snapshot_.reset();
      if (absl::Status made = MakeChanges(); !made.ok()) return made;
    }
    return absl::AbortedError("reports come too fast: end the daemons on the source first");
  }
  absl::Status Read(const CopiedTable& table, const IdRange* ids, const TakeRow& take) override {
    return ReadRows(session_, table, ids, take);
  }
  absl::StatusOr<std::vector<std::string>> ListTables() override {
    std::vector<std::string> names;
    postgres::Query query(
        session_,
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'coxswain'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition"
        " AND relname NOT IN ('next_id', 'schema_version', 'daemon', 'learner',"
        " 'cell_change')");
    while (query.Next()) names.push_back(query.Text(0));
    if (!query.status().ok()) return query.status();
    return names;
  }
  absl::StatusOr<int64_t> CountRows(const std::string& table) override {
    return Number(session_, absl::StrCat("SELECT count(*) FROM ", table));
  }
  absl::StatusOr<int64_t> NextObservationId() override {
    return Number(session_, "SELECT observation_id FROM next_id");
  }

 private:
  // Whether each cell is in one row.
  absl::StatusOr<bool> TakeSnapshot() {
    snapshot_.emplace(session_);  // connects
    if (!snapshot_->status().ok()) return snapshot_->status();
    const absl::StatusOr<bool> is_there = HasSchema(session_, "coxswain");
    if (!is_there.ok()) return is_there.status();
    if (!*is_there) return absl::NotFoundError("the source has no schema coxswain");
    absl::Status checked = CheckSchemaVersion("source", postgres::SchemaVersion(session_),
                                              postgres::Migrations(), kStartDaemonOnce);
    if (!checked.ok()) return checked;
    const absl::StatusOr<int64_t> count = Number(session_, "SELECT count(*) FROM cell_change");
    if (!count.ok()) return count.status();
    return *count == 0;
  }
  absl::Status MakeChanges() {
    absl::Status status =
        session_.Execute(absl::StrCat(postgres::kBeginBriefly, ";", postgres::kLockOutWriters));
    if (status.ok()) status = postgres::MakeCellChanges(session_);
    return status.ok() ? session_.Commit() : status;
  }

  Session session_;
  std::optional<postgres::Snapshot> snapshot_;
};

class PostgresTarget : public Target {
 public:
  explicit PostgresTarget(const std::string& url) : session_(url, postgres::kSetUp) {}

  absl::Status Open() {
    if (absl::Status connected = session_.Connect(); !connected.ok()) return connected;
    const absl::StatusOr<int64_t> locked = Number(session_, kCopyLock);
    if (!locked.ok()) return locked.status();
    if (*locked == 0) return absl::AbortedError("another copy into this database is running");
    const absl::StatusOr<bool> is_begun = HasSchema(session_, "coxswain_copy");
    if (!is_begun.ok()) return is_begun.status();
    absl::Status status = *is_begun ? absl::OkStatus() : MakeCopySchema();
    if (status.ok()) status = session_.Execute("SET search_path TO coxswain_copy");
    if (!status.ok()) return status;
    return CheckSchemaVersion("unfinished copy", postgres::SchemaVersion(session_),
                              postgres::Migrations(),
                              "drop schema coxswain_copy, and copy from the beginning");
  }
  absl::Status Read(const CopiedTable& table, const IdRange* ids, const TakeRow& take) override {
    return ReadRows(session_, table, ids, take);
  }
  absl::Status Prepare(int64_t next_id) override {
    absl::Status status = Begin();
    if (!status.ok()) return status;
    const absl::StatusOr<int64_t> made_to =
        Number(session_, "SELECT partition_end_id FROM next_id");
    status = made_to.status();
    if (status.ok()) status = postgres::MakePartitions(session_, *made_to, next_id);
    return status.ok() ? Commit() : status;
  }
  absl::Status Begin() override { return session_.Execute("BEGIN"); }
  absl::Status Commit() override { return session_.Commit(); }
  absl::Status Write(const CopiedTable& table, absl::string_view rows) override {
    return session_.CopyRows(absl::StrCat(table.name, " (", table.columns, ")"),
                             absl::StrCat(postgres::CopyBegin(), rows, postgres::CopyEnd()));
  }
  absl::Status RemoveObservations(const IdRange& ids) override {
    return postgres::Query(
               session_,
               "DELETE FROM observation WHERE observation_id >= $1 AND observation_id < $2")
        .Bind(ids.begin)
        .Bind(ids.end)
        .Run();
  }
  absl::Status Finish(int64_t next_id) override {
    for (const CopiedTable& table : CopiedTables()) {
      if (table.identity == nullptr) continue;
      absl::Status set = session_.Execute(
          absl::StrCat("SELECT setval(pg_get_serial_sequence('", table.name, "', '", table.identity,
                       "'), max(", table.identity, ")) FROM ", table.name, " HAVING count(*) > 0"));
      if (!set.ok()) return set;
    }
    absl::Status status =
        postgres::Query(session_, "UPDATE next_id SET observation_id = $1").Bind(next_id).Run();
    if (status.ok()) status = session_.Execute("ALTER SCHEMA coxswain_copy RENAME TO coxswain");
    return status.ok() ? session_.Commit() : status;
  }

 private:
  // Makes the tables, and hides them from daemons.
  absl::Status MakeCopySchema() {
    absl::Status status = postgres::Migrate(session_, postgres::Migrations());
    if (status.ok()) status = session_.Execute(postgres::kBeginBriefly);
    if (status.ok()) status = CheckUnused();
    if (status.ok()) status = session_.Execute("ALTER SCHEMA coxswain RENAME TO coxswain_copy");
    if (status.ok()) return session_.Commit();
    if (session_.IsConnected()) session_.Execute("ROLLBACK").IgnoreError();
    return status;
  }

  absl::Status CheckUnused() {
    // Daemons write after it.
    if (absl::Status locked = session_.Execute(postgres::kLockOutWriters); !locked.ok()) {
      return locked;
    }
    const absl::StatusOr<int64_t> rows =
        Number(session_,
               "SELECT (SELECT count(*) FROM machine) + (SELECT count(*) FROM job) +"
               " (SELECT count(*) FROM audit) + (SELECT observation_id - 1 FROM next_id)");
    if (!rows.ok()) return rows.status();
    if (*rows > 0) {
      return absl::FailedPreconditionError(
          "the target is not empty: make another database, or drop its schema coxswain");
    }
    const absl::StatusOr<int64_t> daemons =
        Number(session_, "SELECT count(*) FROM daemon WHERE alive_until > now()");
    if (!daemons.ok()) return daemons.status();
    if (*daemons == 0) return absl::OkStatus();
    return absl::FailedPreconditionError("a coxd uses the target: end it first");
  }

  Session session_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> OpenPostgresSource(const std::string& url) {
  auto source = std::make_unique<PostgresSource>(url);
  if (absl::Status opened = source->Open(); !opened.ok()) return opened;
  return source;
}

absl::StatusOr<std::unique_ptr<Target>> OpenPostgresTarget(const std::string& url) {
  auto target = std::make_unique<PostgresTarget>(url);
  if (absl::Status opened = target->Open(); !opened.ok()) return opened;
  return target;
}

}  // namespace cox::store
