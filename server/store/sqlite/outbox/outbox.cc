#include "store/outbox.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "store/data_directory.h"
#include "store/sqlite/database.h"
#include "store/sqlite/file/file_watch.h"
#include "store/sqlite/file/files.h"

namespace cox::store {
namespace {

constexpr int64_t kSchemaVersion = 1;
// In one transaction: a table without its version would be refused after a crash. AUTOINCREMENT:
// the id of a removed batch is not given to another one.
constexpr char kSchema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE batch ("
    "  batch_id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  job TEXT NOT NULL,"
    "  sequence INTEGER NOT NULL,"
    "  bytes BLOB NOT NULL,"
    "  UNIQUE (job, sequence)"
    ") STRICT;"
    "PRAGMA user_version = 1;"
    "COMMIT";

std::string PathIn(const std::string& directory) { return directory + "/outbox.db"; }

// Whoever starts the relay must know what to do with which file.
absl::Status Explained(const absl::Status& status, const std::string& path) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(absl::StrCat(path, ": ", status.message(),
                                          "; move it away to start with an empty spool: the "
                                          "reports in it are lost"));
}

absl::Status Prepare(Database& db, const std::string& path) {
  if (absl::Status logged = db.UseWriteAheadLog(); !logged.ok()) return logged;
  int64_t version = 0;
  {
    Query query(db, "PRAGMA user_version");
    if (!query.Next()) return query.status();
    version = query.Int(0);
  }
  if (version == kSchemaVersion) return absl::OkStatus();
  if (version != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": is a spool of a newer coxd (version ", version,
                     "); start that coxd, or choose another data directory"));
  }
  return db.Execute(kSchema);
}

class SqliteOutbox : public Outbox {
 public:
  SqliteOutbox(DataDirectory directory, std::unique_ptr<Database> db)
      : directory_(std::move(directory)), db_(std::move(db)), file_(PathIn(directory_.path())) {
    file_.Remember();
  }

  absl::StatusOr<std::vector<int64_t>> Commit(absl::Span<const OutboxBatch> added,
                                              absl::Span<const int64_t> removed) override {
    const std::lock_guard lock(mutex_);
    if (absl::Status begun = db_->Execute("BEGIN IMMEDIATE"); !begun.ok()) return begun;
    // A failed statement may have ended the transaction already.
    absl::Cleanup roll_back = [this] {
      if (db_->InTransaction()) db_->Execute("ROLLBACK").IgnoreError();
    };
    for (const int64_t id : removed) {
      Query query(*db_, "DELETE FROM batch WHERE batch_id = ?");
      if (absl::Status done = query.Bind(id).Run(); !done.ok()) return done;
    }
    std::vector<int64_t> ids;
    ids.reserve(added.size());
    for (const OutboxBatch& batch : added) {
      const absl::StatusOr<int64_t> id = Add(batch);
      if (!id.ok()) return id.status();
      ids.push_back(*id);
    }
    if (absl::Status same = CheckSame(); !same.ok()) return same;
    if (absl::Status committed = db_->Execute("COMMIT"); !committed.ok()) return committed;
    std::move(roll_back).Cancel();
    return ids;
  }

  absl::StatusOr<std::vector<WaitingBatch>> Read(int64_t after_id, int64_t limit,
                                                 int64_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (absl::Status same = CheckSame(); !same.ok()) return same;
    std::vector<WaitingBatch> batches;
    Query query(*db_,
                "SELECT batch_id, job, bytes FROM batch WHERE batch_id > ?"
                " ORDER BY batch_id LIMIT ?");
    query.Bind(after_id).Bind(limit);
    while (query.Next()) {
      bytes -= static_cast<int64_t>(query.Bytes(2).size());
      if (bytes < 0 && !batches.empty()) return batches;
      batches.push_back({.id = query.Int(0),
                         .job = std::string(query.Text(1)),
                         .bytes = std::string(query.Bytes(2))});
    }
    if (!query.status().ok()) return query.status();
    return batches;
  }

  absl::StatusOr<OutboxSize> ReadSize() override {
    const std::lock_guard lock(mutex_);
    OutboxSize size;
    Query query(*db_, "SELECT job, sum(length(bytes)), max(batch_id) FROM batch GROUP BY job");
    while (query.Next()) {
      size.bytes_by_job[std::string(query.Text(0))] = query.Int(1);
      size.last_id = std::max(size.last_id, query.Int(2));
    }
    if (!query.status().ok()) return Explained(query.status(), PathIn(directory_.path()));
    return size;
  }

 private:
  // What is written to a deleted file is lost when the relay ends.
  absl::Status CheckSame() const {
    if (file_.CheckSame().ok()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        PathIn(directory_.path()),
        ": it or its log was deleted or replaced while the relay runs; start the relay again: it"
        " begins with an empty spool, and the reports that waited are lost"));
  }
  absl::StatusOr<int64_t> Add(const OutboxBatch& batch) {
    {
      Query find(*db_, "SELECT batch_id FROM batch WHERE job = ? AND sequence = ?");
      find.Bind(absl::string_view(batch.job)).Bind(batch.sequence);
      if (find.Next()) return find.Int(0);
      if (!find.status().ok()) return find.status();
    }
    Query insert(*db_, "INSERT INTO batch (job, sequence, bytes) VALUES (?, ?, ?)");
    insert.Bind(absl::string_view(batch.job)).Bind(batch.sequence).BindBytes(batch.bytes);
    if (absl::Status done = insert.Run(); !done.ok()) return done;
    return db_->LastInsertId();
  }

  std::mutex mutex_;
  const DataDirectory directory_;  // locked as long as this lives
  const std::unique_ptr<Database> db_;
  FileWatch file_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Outbox>> OpenOutbox(const OutboxOptions& options) {
  absl::StatusOr<DataDirectory> directory =
      DataDirectory::Open(options.directory, options.allow_network_file_system, StatfsType);
  if (!directory.ok()) return directory.status();
  const std::string path = PathIn(options.directory);
  if (!std::filesystem::exists(path)) {
    if (absl::Status created = CreateForOwner(path); !created.ok()) return created;
  }
  absl::StatusOr<std::unique_ptr<Database>> db = Database::Open(path, Database::Mode::kCreate);
  if (!db.ok()) return Explained(db.status(), path);
  if (absl::Status prepared = Prepare(**db, path); !prepared.ok()) return Explained(prepared, path);
  return std::make_unique<SqliteOutbox>(*std::move(directory), *std::move(db));
}

absl::StatusOr<int64_t> WaitingBytes(const std::string& directory) {
  const std::string path = PathIn(directory);
  if (!std::filesystem::exists(path)) return 0;
  const absl::StatusOr<std::unique_ptr<Database>> db =
      Database::Open(path, Database::Mode::kReadOnly);
  if (!db.ok()) return Explained(db.status(), path);
  Query query(**db, "SELECT coalesce(sum(length(bytes)), 0) FROM batch");
  if (!query.Next()) return Explained(query.status(), path);
  return query.Int(0);
}

}  // namespace cox::store
