#include "store/sqlite/file/backup.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "store/sqlite/file/content.h"
#include "store/sqlite/file/files.h"
#include "store/sqlite/file/header.h"
#include "store/sqlite/migrations.h"

namespace cox::store {
namespace {

namespace fs = std::filesystem;

// A copy of a database with a write-ahead log wants one, too.
absl::Status MakeSingleFile(Database& db) {
  Query query(db, "PRAGMA journal_mode = DELETE");
  if (!query.Next()) return query.status();
  if (query.Text(0) == "delete") return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the copy keeps the journal mode ", query.Text(0)));
}

// Gives a database of an older coxd the room for giving pages back.
absl::Status MakeCompactable(Database& db) {
  {
    Query query(db, "PRAGMA auto_vacuum");
    constexpr int64_t kIncremental = 2;
    if (query.Next() && query.Int(0) == kIncremental) return absl::OkStatus();
    if (!query.status().ok()) return query.status();
  }
  return db.Execute("PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL; VACUUM;");
}

absl::Status Copy(Database& source, const std::string& path,
                  const std::function<bool()>& is_cancelled) {
  {
    const auto target = Database::Open(path, Database::Mode::kReadWrite);
    if (!target.ok()) return target.status();
    if (absl::Status copied = source.CopyTo(**target, is_cancelled); !copied.ok()) return copied;
  }
  const auto copy = Database::Open(path, Database::Mode::kReadWrite);
  if (!copy.ok()) return copy.status();
  absl::Status status = MakeSingleFile(**copy);
  if (status.ok()) status = MakeCompactable(**copy);
  if (status.ok()) status = RenewIdentity(**copy);
  if (status.ok()) {
    status = CheckPages(**copy, path, std::numeric_limits<int64_t>::max());
  }
  return status;
}

absl::Status CheckVersion(Database& db, const std::string& path) {
  Query query(db, "PRAGMA user_version");
  const int64_t version = query.Next() ? query.Int(0) : 0;
  if (!query.status().ok()) return query.status();
  const int newest = Migrations().back().version;
  if (version <= newest) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, " has schema version ", version,
                                                    ", this program knows ", newest,
                                                    ": restore it with the coxd that wrote it"));
}

// A backup of ours is one file. A copy that was made by hand may have a log.
absl::StatusOr<std::unique_ptr<Database>> OpenBackup(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return absl::NotFoundError(absl::StrCat(path, " does not exist"));
  absl::Status checked = CheckHeader(path);
  const bool has_log = fs::exists(path + "-wal", error);
  if (checked.ok() && !has_log) checked = CheckLength(path);
  if (!checked.ok()) return checked;
  return Database::Open(path, has_log ? Database::Mode::kReadOnly : Database::Mode::kWithoutLog);
}

absl::Status Move(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot rename ", from, ": ", std::strerror(errno)));
}

// The first of PATH.replaced, PATH.replaced-2, ... that neither a database nor a log has: a
// replaced database may be the only copy of its last reports.
std::string FreeNameFor(const std::string& path) {
  const auto is_taken = [](const std::string& name) {
    std::error_code error;
    return fs::exists(fs::symlink_status(name, error));
  };
  const std::string first = path + ".replaced";
  std::string name = first;
  for (int number = 2; is_taken(name) || is_taken(name + "-wal"); ++number) {
    name = absl::StrCat(first, "-", number);
  }
  return name;
}

// Whenever this is interrupted, there is a whole database at `path`, and the next start either
// reads it or names the log that does not belong to it.
absl::StatusOr<std::string> Replace(const std::string& path, const std::string& by) {
  const std::string replaced = FreeNameFor(path);
  std::error_code error;
  const bool had_database = fs::exists(path, error);
  if (had_database) {
    fs::create_hard_link(path, replaced, error);
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot keep ", path, " as ", replaced, ": ", error.message()));
    }
  }
  if (absl::Status moved = Move(path + "-wal", replaced + "-wal"); !moved.ok()) return moved;
  fs::remove(path + "-shm", error);
  if (absl::Status moved = Move(by, path); !moved.ok()) return moved;
  absl::Status synced = Sync(fs::path(path).parent_path().string());
  if (!synced.ok()) return synced;
  return had_database ? replaced : "";
}

}  // namespace

absl::Status WriteBackup(Database& source, const std::string& path,
                         const std::function<bool()>& is_cancelled) {
  std::error_code error;
  if (fs::exists(path, error)) return absl::AlreadyExistsError(absl::StrCat(path, " exists"));
  const std::string unfinished = path + ".new";
  const auto remove_unfinished = [&unfinished] {
    for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
      std::error_code ignored;  // usually absent
      fs::remove(unfinished + suffix, ignored);
    }
  };
  remove_unfinished();
  if (absl::Status created = CreateForOwner(unfinished); !created.ok()) return created;
  const absl::Cleanup clean_up = remove_unfinished;
  if (absl::Status copied = Copy(source, unfinished, is_cancelled); !copied.ok()) return copied;
  if (absl::Status synced = Sync(unfinished); !synced.ok()) return synced;
  if (absl::Status moved = Move(unfinished, path); !moved.ok()) return moved;
  return Sync(fs::path(path).parent_path().string());
}

absl::StatusOr<std::string> RestoreBackup(const std::string& backup, const std::string& path) {
  const auto explain = [&backup](const absl::Status& why) {
    if (!absl::IsDataLoss(why) && !absl::IsInternal(why)) return why;
    return absl::DataLossError(
        absl::StrCat(backup, " is damaged or not a database of Coxswain: ", why.message(),
                     ". The database was not changed; choose another backup"));
  };
  const auto source = OpenBackup(backup);
  if (!source.ok()) return explain(source.status());
  const std::string copy = path + ".restored";
  std::error_code ignored;
  fs::remove(copy, ignored);
  absl::Status status = CheckVersion(**source, backup);
  if (status.ok()) status = WriteBackup(**source, copy, {});
  if (!status.ok()) return explain(status);
  return Replace(path, copy);
}

}  // namespace cox::store
