#include "store/sqlite/database.h"

#include <sqlite3.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "domain/reports/final_answer.h"
#include "domain/sharing/caller_watch.h"
#include "store/sqlite/file/files.h"

namespace cox::store {
namespace {

constexpr int kBusyTimeoutMs = 5'000;

// SQLite takes an immutable file as it is. '%', '?' and '#' have a meaning in a URI.
std::string ImmutableUri(const std::string& path) {
  return absl::StrCat(
      "file:", absl::StrReplaceAll(path, {{"%", "%25"}, {"?", "%3f"}, {"#", "%23"}}),
      "?immutable=1");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, Mode mode) {
  const bool is_read_only = mode == Mode::kReadOnly || mode == Mode::kWithoutLog;
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) flags |= SQLITE_OPEN_CREATE;
  if (mode == Mode::kWithoutLog) flags |= SQLITE_OPEN_URI;
  const std::string name = mode == Mode::kWithoutLog ? ImmutableUri(path) : path;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  if (raw == nullptr) return absl::ResourceExhaustedError("no memory for a database connection");
  std::unique_ptr<Database> db(new Database(raw));
  if (code != SQLITE_OK) return db->Error(code);
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  db->KeepLogOnClose(true);  // until it is known that the file can be read
  // temp_store: what a savepoint must remember stays in memory instead of a temporary file.
  absl::Status status = db->Execute(
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
      "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864;");
  if (status.ok() && is_read_only) status = db->Execute("PRAGMA query_only = ON;");
  if (!status.ok()) return status;
  db->KeepLogOnClose(false);
  return db;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(db_);
}

absl::Status Database::UseWriteAheadLog() {
  Query query(*this, "PRAGMA journal_mode = WAL");
  if (!query.Next()) return query.status();
  // SQLite does not call it an error when it has to stay with the mode it had.
  if (query.Text(0) == "wal") return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("database: no write-ahead log on this file system (journal mode ", query.Text(0),
                   "): choose a local directory"));
}

void Database::KeepLogOnClose(bool keep) {
  // Cannot fail: the option exists, and nothing is read back.
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

absl::Status Database::Execute(const char* sql) {
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

void Database::CancelWhen(std::function<bool()> is_cancelled) {
  is_cancelled_ = std::move(is_cancelled);
  if (!is_cancelled_) {
    sqlite3_progress_handler(db_, 0, nullptr, nullptr);
    return;
  }
  constexpr int kStepsPerQuestion = 4'000;
  const auto ask = [](void* self) { return static_cast<Database*>(self)->is_cancelled_() ? 1 : 0; };
  sqlite3_progress_handler(db_, kStepsPerQuestion, ask, this);
}

absl::Status Database::CopyTo(Database& target, const std::function<bool()>& is_cancelled) {
  constexpr int kPagesPerStep = 256;
  sqlite3_backup* const backup = sqlite3_backup_init(target.db_, "main", db_, "main");
  if (backup == nullptr) return target.Error(sqlite3_extended_errcode(target.db_));
  int code = SQLITE_OK;
  while (code == SQLITE_OK && !(is_cancelled && is_cancelled())) {
    code = sqlite3_backup_step(backup, kPagesPerStep);
  }
  sqlite3_backup_finish(backup);  // returns the error of the last step again
  if (code == SQLITE_DONE) return absl::OkStatus();
  if (code == SQLITE_OK) return absl::CancelledError("the backup was cancelled");
  // Which of the two files failed is known only for damage: the target is new.
  return (code & 0xff) == SQLITE_CORRUPT ? Error(code) : target.Error(code);
}

absl::Status Database::AddTable(const char* name, const sqlite3_module& module, void* rows) {
  const int code = sqlite3_create_module_v2(db_, name, &module, rows, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

bool Database::InTransaction() const { return sqlite3_get_autocommit(db_) == 0; }

absl::Status Database::Savepoint() { return Query(*this, "SAVEPOINT one_write").Run(); }

absl::Status Database::RollbackToSavepoint() { return Query(*this, "ROLLBACK TO one_write").Run(); }

absl::Status Database::ReleaseSavepoint() { return Query(*this, "RELEASE one_write").Run(); }

int64_t Database::ChangedRowCount() const { return sqlite3_changes64(db_); }

int64_t Database::LastInsertId() const { return sqlite3_last_insert_rowid(db_); }

absl::Status Database::Error(int code) const {
  absl::Status status = StatusOf(code);
  if (note_damage_ && absl::IsDataLoss(status)) note_damage_(status);
  return status;
}

absl::Status Database::StatusOf(int code) const {
  const int system_errno = errno;
  const std::string message =
      absl::StrCat("database: ", sqlite3_errmsg(db_), " (SQLite code ", code, ")");
  if (code == SQLITE_IOERR_SHORT_READ) return absl::DataLossError(message);
  if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return absl::AlreadyExistsError(message);
  }
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return domain::CallerGone();
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(absl::StrCat(domain::kDiskFull, ": ", message));
    case SQLITE_NOMEM:
      return absl::ResourceExhaustedError(message);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(message);
    case SQLITE_IOERR:
      // Quotas and file size limits reach SQLite as plain write errors, and when it is a COMMIT
      // that fails it does not even keep the number.
      if (IsOutOfSpace(sqlite3_system_errno(db_)) || IsOutOfSpace(system_errno)) {
        return absl::ResourceExhaustedError(absl::StrCat(domain::kDiskFull, ": ", message));
      }
      return absl::UnavailableError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(message);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return absl::FailedPreconditionError(message);
    default:
      return absl::InternalError(message);
  }
}

Query::Query(Database& db, absl::string_view sql) : db_(db) {
  if (const auto it = db.statements_.find(sql); it != db.statements_.end()) {
    statement_ = it->second;
    return;
  }
  Check(sqlite3_prepare_v3(db.db_, sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  if (status_.ok()) db.statements_.emplace(std::string(sql), statement_);
}

Query::~Query() { Reset(); }

void Query::Check(int code) {
  if (code != SQLITE_OK && status_.ok()) status_ = db_.Error(code);
}

Query& Query::Bind(int64_t value) {
  if (status_.ok()) Check(sqlite3_bind_int64(statement_, next_parameter_++, value));
  return *this;
}

Query& Query::Bind(double value) {
  if (status_.ok()) Check(sqlite3_bind_double(statement_, next_parameter_++, value));
  return *this;
}

Query& Query::Bind(absl::string_view value) {
  // An empty view may have no data at all, which SQLite would take for NULL.
  const char* const data = value.data() == nullptr ? "" : value.data();
  if (status_.ok()) {
    Check(sqlite3_bind_text(statement_, next_parameter_++, data, static_cast<int>(value.size()),
                            SQLITE_STATIC));
  }
  return *this;
}

Query& Query::BindNull() {
  if (status_.ok()) Check(sqlite3_bind_null(statement_, next_parameter_++));
  return *this;
}

Query& Query::BindBytes(absl::string_view value) {
  const char* const data = value.data() == nullptr ? "" : value.data();
  if (status_.ok()) {
    Check(sqlite3_bind_blob(statement_, next_parameter_++, data, static_cast<int>(value.size()),
                            SQLITE_STATIC));
  }
  return *this;
}

bool Query::Next() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) Check(code);
  return false;
}

absl::Status Query::Run() {
  while (Next()) {
  }
  return status_;
}

void Query::Reset() {
  next_parameter_ = 1;
  // What reset returns is the error of the last step, which status_ has already.
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

absl::StatusOr<int64_t> Query::Number() {
  const int64_t number = Next() ? Int(0) : 0;
  if (!status_.ok()) return status_;
  return number;
}

int64_t Query::Int(int column) const { return sqlite3_column_int64(statement_, column); }

double Query::Real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Query::Text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return "";
  return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

absl::string_view Query::Bytes(int column) const {
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data,
          data == nullptr ? 0 : static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Query::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

}  // namespace cox::store
