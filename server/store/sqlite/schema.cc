#include "store/sqlite/schema.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sqlite/file/content.h"
#include "store/sqlite/file/files.h"
#include "store/sqlite/file/header.h"

namespace cox::store {
namespace {

namespace fs = std::filesystem;

absl::Status Apply(Database& db, const Migration& migration) {
  const std::string set_version = absl::StrCat("PRAGMA user_version = ", migration.version);
  absl::Status status = db.Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = db.Execute(migration.sql);
  if (status.ok()) status = db.Execute(set_version.c_str());
  if (status.ok()) status = db.Execute("COMMIT");
  if (status.ok()) return status;
  // If the transaction is gone already this fails, and nothing is lost by it.
  db.Execute("ROLLBACK").IgnoreError();
  return absl::Status(status.code(),
                      absl::StrCat("migration ", migration.file, ": ", status.message()));
}

absl::Status Migrate(Database& db, const std::string& path,
                     absl::Span<const Migration> migrations) {
  int64_t version = 0;
  {
    Query query(db, "PRAGMA user_version");
    if (query.Next()) version = query.Int(0);
    if (!query.status().ok()) return query.status();
  }
  const int newest = migrations.back().version;
  if (version > newest) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " has schema version ", version, ", this program knows ", newest,
        ": run the newer coxd that wrote it, or restore a backup from before the upgrade"));
  }
  for (const Migration& migration : migrations) {
    if (migration.version <= version) continue;
    if (absl::Status status = Apply(db, migration); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// One row of every table that any version has, and the ends of the one that grows: O(tables x
// depth).
absl::Status Probe(Database& db) {
  constexpr const char* kProbes[] = {
      "SELECT observation_id FROM next_id",
      "SELECT name, nodes, dropped_count FROM machine LIMIT 1",
      "SELECT revision FROM profile LIMIT 1",
      "SELECT value FROM parameter LIMIT 1",
      "SELECT type_bytes FROM scenario LIMIT 1",
      "SELECT name FROM job LIMIT 1",
      "SELECT max(batch_id) FROM batch",
      "SELECT outcome FROM request LIMIT 1",
      "SELECT time_s, run FROM observation ORDER BY observation_id DESC LIMIT 1",
  };
  for (const char* const sql : kProbes) {
    if (absl::Status status = Query(db, sql).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The files of an older version may be readable by others.
void CloseToOthers(const std::string& path) {
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    std::error_code ignored;  // absent, or another user's: opening it fails with the reason
    fs::permissions(path + suffix, fs::perms::owner_read | fs::perms::owner_write, ignored);
  }
}

// A new database appears under its name only when it is complete: an empty or half-made file of
// that name is then always damage, never a start that was interrupted.
absl::Status Create(const std::string& path, absl::Span<const Migration> migrations) {
  const std::string unfinished = path + ".new";
  for (const char* const suffix : {"", "-journal"}) {
    std::error_code ignored;  // usually absent
    fs::remove(unfinished + suffix, ignored);
  }
  if (absl::Status status = CreateForOwner(unfinished); !status.ok()) return status;
  {
    absl::StatusOr<std::unique_ptr<Database>> db =
        Database::Open(unfinished, Database::Mode::kCreate);
    if (!db.ok()) return db.status();
    // Before the first table: `cox store compact` gives free pages back step by step.
    absl::Status status = (*db)->Execute("PRAGMA auto_vacuum = INCREMENTAL");
    if (status.ok()) status = Migrate(**db, unfinished, migrations);
    if (!status.ok()) return status;
  }
  if (absl::Status status = Sync(unfinished); !status.ok()) return status;
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot rename ", unfinished, ": ", std::strerror(errno)));
  }
  return Sync(fs::path(path).parent_path().string());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> OpenMigrated(const std::string& path,
                                                       absl::Span<const Migration> migrations,
                                                       int64_t whole_check_bytes) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (fs::exists(path + "-wal", error)) {
      return DamagedFile(path, "it is missing, but its -wal file is there");
    }
    if (fs::exists(path + ".copy", error)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "a copy has not ended: run coxd --copy-from again, or remove ", path, ".copy"));
    }
    if (absl::Status status = Create(path, migrations); !status.ok()) return status;
  }
  const uintmax_t log_bytes = fs::file_size(path + "-wal", error);
  const bool has_log = !error && log_bytes > 0;
  absl::Status status = CheckHeader(path);
  if (status.ok() && !has_log) status = CheckLength(path);
  if (!status.ok()) return ExplainDamage(path, status);
  CloseToOthers(path);
  absl::StatusOr<std::unique_ptr<Database>> db = Database::Open(path, Database::Mode::kReadWrite);
  if (!db.ok()) return ExplainDamage(path, BlameLog(db.status(), path, whole_check_bytes));
  // Writing the log back into a damaged file could destroy what is still readable.
  (*db)->KeepLogOnClose(true);
  status = BlameLog(CheckWithLog(**db, path, whole_check_bytes), path, whole_check_bytes);
  if (status.ok()) status = Migrate(**db, path, migrations);
  if (status.ok()) status = Probe(**db);
  if (status.ok()) status = (*db)->UseWriteAheadLog();
  // From now on the length must be right: completes a checkpoint that was interrupted.
  if (status.ok() && !CheckLength(path).ok()) {
    status = Query(**db, "PRAGMA wal_checkpoint(PASSIVE)").Run();
    if (status.ok()) status = CheckLength(path);
  }
  if (!status.ok()) return ExplainDamage(path, status);
  (*db)->KeepLogOnClose(false);
  return std::move(*db);
}

}  // namespace cox::store
