#include "store/copy/sqlite_side.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/copy/row.h"
#include "store/data_directory.h"
#include "store/sqlite/database.h"
#include "store/sqlite/file/files.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/read_pool.h"
#include "store/sqlite/schema.h"

namespace cox::store {
namespace {

namespace fs = std::filesystem;

absl::Status ReadRows(Database& db, const CopiedTable& table, const IdRange* ids,
                      const Side::TakeRow& take) {
  std::string sql = absl::StrCat("SELECT ", table.columns, " FROM ", table.name);
  if (ids != nullptr) absl::StrAppend(&sql, " WHERE observation_id >= ? AND observation_id < ?");
  Query query(db, sql);
  if (ids != nullptr) query.Bind(ids->begin).Bind(ids->end);
  return TakeRows(query, table, take);
}

class SqliteSource : public Source {
 public:
  explicit SqliteSource(std::unique_ptr<Database> db) : db_(std::move(db)), snapshot_(*db_) {}

  absl::Status Check() {
    if (!snapshot_.status().ok()) return snapshot_.status();
    absl::Status version = CheckSchemaVersion("source", Query(*db_, "PRAGMA user_version").Number(),
                                              Migrations(), kStartDaemonOnce);
    if (!version.ok()) return version;
    const absl::StatusOr<int64_t> is_stale =
        Query(*db_, "SELECT cells_are_stale FROM next_id").Number();
    if (!is_stale.ok() || *is_stale == 0) return is_stale.status();
    return absl::FailedPreconditionError(
        absl::StrCat("the cells of the source are stale: ", kStartDaemonOnce));
  }
  absl::Status Read(const CopiedTable& table, const IdRange* ids, const TakeRow& take) override {
    return ReadRows(*db_, table, ids, take);
  }
  absl::StatusOr<std::vector<std::string>> ListTables() override {
    std::vector<std::string> names;
    Query query(*db_,
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'next_id'"
                " AND name NOT LIKE 'sqlite%'");
    while (query.Next()) names.push_back(query.Text(0));
    if (!query.status().ok()) return query.status();
    return names;
  }
  absl::StatusOr<int64_t> CountRows(const std::string& table) override {
    return Query(*db_, absl::StrCat("SELECT count(*) FROM ", table)).Number();
  }
  absl::StatusOr<int64_t> NextObservationId() override {
    return Query(*db_, "SELECT observation_id FROM next_id").Number();
  }

 private:
  const std::unique_ptr<Database> db_;
  const Snapshot snapshot_;
};

class SqliteTarget : public Target {
 public:
  SqliteTarget(DataDirectory directory, std::string path, std::unique_ptr<Database> db)
      : directory_(std::move(directory)), path_(std::move(path)), db_(std::move(db)) {}

  absl::Status Read(const CopiedTable& table, const IdRange* ids, const TakeRow& take) override {
    return ReadRows(*db_, table, ids, take);
  }
  // Observations come before their scenarios; Finish() checks them.
  absl::Status Prepare(int64_t /*next_id*/) override {
    return db_->Execute("PRAGMA foreign_keys = OFF");
  }
  absl::Status Begin() override { return db_->Begin(); }
  absl::Status Commit() override { return db_->Commit(); }

  absl::Status Write(const CopiedTable& table, absl::string_view rows) override {
    const absl::string_view types = table.types;
    std::string places = "?";
    for (size_t i = 1; i < types.size(); ++i) absl::StrAppend(&places, ", ?");
    Query insert(*db_, absl::StrCat("INSERT INTO ", table.name, " (", table.columns, ") VALUES (",
                                    places, ")"));
    while (!rows.empty()) {
      rows.remove_prefix(sizeof(int16_t));
      for (const char type : types) BindNext(rows, type, insert);
      if (absl::Status written = insert.Run(); !written.ok()) return written;
      insert.Reset();
    }
    return absl::OkStatus();
  }

  absl::Status RemoveObservations(const IdRange& ids) override {
    return Query(*db_, "DELETE FROM observation WHERE observation_id >= ? AND observation_id < ?")
        .Bind(ids.begin)
        .Bind(ids.end)
        .Run();
  }

  absl::Status Finish(int64_t next_id) override {
    absl::Status status = CheckReferences();
    // The migrations of an empty file leave its cells stale; those of the source are whole.
    if (status.ok()) {
      status = Query(*db_, "UPDATE next_id SET observation_id = ?, cells_are_stale = 0")
                   .Bind(next_id)
                   .Run();
    }
    if (status.ok()) status = db_->Commit();
    if (!status.ok()) return status;
    db_.reset();  // writes the log back and removes it
    const std::string unfinished = path_ + ".copy";
    if (status = Sync(unfinished); !status.ok()) return status;
    if (std::rename(unfinished.c_str(), path_.c_str()) != 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot rename ", unfinished, ": ", std::strerror(errno)));
    }
    return Sync(fs::path(path_).parent_path().string());
  }

 private:
  static void BindNext(absl::string_view& rows, char type, Query& insert) {
    absl::string_view field;
    if (!TakeField(rows, &field)) {
      insert.BindNull();
    } else if (type == 'i') {
      insert.Bind(postgres::DecodeInt(field));
    } else if (type == 'r') {
      insert.Bind(postgres::DecodeReal(field));
    } else if (type == 't') {
      insert.Bind(field);
    } else {
      insert.BindBytes(field);
    }
  }

  absl::Status CheckReferences() {
    Query query(*db_, "PRAGMA foreign_key_check");
    if (!query.Next()) return query.status();
    return absl::DataLossError(absl::StrCat("a row of table ", query.Text(0),
                                            " refers to a row of table ", query.Text(2),
                                            " that is missing"));
  }

  const DataDirectory directory_;  // its lock
  const std::string path_;
  std::unique_ptr<Database> db_;
};

// A finished copy has no gap left to fill: it was interrupted between its commit and its new name.
absl::StatusOr<bool> IsFinished(Database& db) {
  const absl::StatusOr<int64_t> rows =
      Query(db,
            "SELECT (SELECT count(*) FROM machine) + (SELECT count(*) FROM job) +"
            " (SELECT count(*) FROM audit) + (SELECT count(*) FROM published_machine) +"
            " (SELECT observation_id - 1 FROM next_id)")
          .Number();
  if (!rows.ok()) return rows.status();
  return *rows > 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Source>> OpenSqliteSource(const std::string& directory) {
  const std::string path = directory + "/coxswain.db";
  std::error_code error;
  if (!fs::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no database ", path));
  }
  absl::StatusOr<std::unique_ptr<Database>> db = Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return db.status();
  auto source = std::make_unique<SqliteSource>(*std::move(db));
  if (absl::Status checked = source->Check(); !checked.ok()) return checked;
  return source;
}

absl::StatusOr<std::unique_ptr<Target>> OpenSqliteTarget(const std::string& directory) {
  absl::StatusOr<DataDirectory> locked = DataDirectory::Open(directory, false, StatfsType);
  if (!locked.ok()) return locked.status();
  const std::string path = locked->DatabasePath();
  std::error_code error;
  if (fs::exists(path, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the target is not empty: ", path, " exists; choose another directory"));
  }
  const std::string unfinished = path + ".copy";
  absl::StatusOr<std::unique_ptr<Database>> db = OpenMigrated(unfinished, Migrations());
  if (!db.ok()) return db.status();
  const absl::StatusOr<bool> finished = IsFinished(**db);
  if (!finished.ok()) return finished.status();
  if (*finished) {
    db->reset();
    fs::remove(unfinished, error);
    db = OpenMigrated(unfinished, Migrations());
    if (!db.ok()) return db.status();
  }
  return std::make_unique<SqliteTarget>(*std::move(locked), path, *std::move(db));
}

}  // namespace cox::store
