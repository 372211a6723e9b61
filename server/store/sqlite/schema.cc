#include "store/sqlite/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace cox::store {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[] = "SQLite format 3";  // with its terminating zero
constexpr size_t kHeaderBytes = 100;
// Offsets of big-endian numbers in SQLite's file header.
constexpr size_t kPageSizeOffset = 16;  // two bytes; 1 means 65,536
constexpr size_t kPageCountOffset = 28;
constexpr size_t kApplicationIdOffset = 68;
constexpr uint32_t kApplicationId = 0x434F5853;  // as in schema/0001

absl::Status Damaged(const std::string& path, absl::string_view why) {
  return absl::DataLossError(absl::StrCat(
      path, " is damaged or not a database of Coxswain: ", why,
      ". Nothing in it was changed. Restore it from a backup, save what can be read with `sqlite3 ",
      path,
      " .dump` (docs/formats.md says how), or move it away, with its -wal and -shm files, to start "
      "with an empty one"));
}

// Adds the way out to SQLite's message about a damaged file.
absl::Status Explain(const std::string& path, const absl::Status& status) {
  const bool damaged =
      status.code() == absl::StatusCode::kDataLoss || status.code() == absl::StatusCode::kInternal;
  return damaged ? Damaged(path, status.message()) : status;
}

uint32_t NumberAt(const char* bytes, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

// While there is a log, the file may be shorter: an interrupted checkpoint begins again from it.
absl::Status CheckSize(const std::string& path, const char* header) {
  std::error_code error;
  const uintmax_t log_bytes = fs::file_size(path + "-wal", error);
  if (!error && log_bytes > 0) return absl::OkStatus();
  const uint64_t page_bytes = NumberAt(header + kPageSizeOffset, 2);
  const uint64_t file_bytes = fs::file_size(path, error);
  const uint64_t stated_bytes =
      (page_bytes == 1 ? 65'536 : page_bytes) * NumberAt(header + kPageCountOffset, 4);
  if (!error && file_bytes >= stated_bytes) return absl::OkStatus();
  return Damaged(path, absl::StrCat("it has ", file_bytes, " bytes and its header says ",
                                    stated_bytes, ": its end is missing"));
}

// The first page as it lies in the file, before SQLite may touch anything.
absl::Status CheckHeader(const std::string& path) {
  char header[kHeaderBytes] = {};
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  file.read(header, sizeof(header));
  if (file.gcount() < static_cast<std::streamsize>(kHeaderBytes)) {
    return Damaged(path, absl::StrCat("it has only ", file.gcount(), " bytes"));
  }
  if (std::memcmp(header, kMagic, sizeof(kMagic)) != 0) {
    return Damaged(path, "it is not an SQLite file");
  }
  const uint32_t application_id = NumberAt(header + kApplicationIdOffset, 4);
  if (application_id != kApplicationId) {
    return Damaged(
        path, absl::StrCat("its application id is ", application_id, ", not ", kApplicationId));
  }
  return CheckSize(path, header);
}

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

absl::Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool ok = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (ok) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot sync ", path, ": ", std::strerror(error)));
}

// Creates an empty file with mode 0600, independent of the umask. SQLite gives its log the same
// mode.
absl::Status CreateForOwner(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && close(fd) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot create ", path, ": ", std::strerror(errno)));
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
    if (absl::Status status = Migrate(**db, unfinished, migrations); !status.ok()) return status;
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
                                                       absl::Span<const Migration> migrations) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (fs::exists(path + "-wal", error)) {
      return Damaged(path, "it is missing, but its -wal file is there");
    }
    if (absl::Status status = Create(path, migrations); !status.ok()) return status;
  }
  if (absl::Status status = CheckHeader(path); !status.ok()) return status;
  CloseToOthers(path);
  absl::StatusOr<std::unique_ptr<Database>> db = Database::Open(path, Database::Mode::kReadWrite);
  if (!db.ok()) return Explain(path, db.status());
  // Writing the log back into a damaged file could destroy what is still readable.
  (*db)->KeepLogOnClose(true);
  absl::Status status = Migrate(**db, path, migrations);
  if (status.ok()) status = Probe(**db);
  if (status.ok()) status = (*db)->UseWriteAheadLog();
  if (!status.ok()) return Explain(path, status);
  (*db)->KeepLogOnClose(false);
  return std::move(*db);
}

}  // namespace cox::store
