// One connection to an SQLite file, and a statement on it. Only these two classes and rows/, which
// lends SQLite rows in memory, use SQLite's C API. Knows no table.
//
// Thread rule: a connection and its queries belong to one thread at a time.
// Failure rule: RESOURCE_EXHAUSTED (disk full, no memory), DATA_LOSS (damaged, not a database),
// UNAVAILABLE (locked, I/O error), FAILED_PRECONDITION (not writable), ALREADY_EXISTS (a UNIQUE
// rule), INTERNAL (any other rule of the schema, or wrong SQL).
#ifndef COX_STORE_SQLITE_DATABASE_H_
#define COX_STORE_SQLITE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/transactions.h"

struct sqlite3;
struct sqlite3_module;
struct sqlite3_stmt;

namespace cox::store {

class Database : public Transactions {
 public:
  // kWithoutLog: reads the file alone, as it lies on the disk, without its write-ahead log or
  // locks.
  enum class Mode { kCreate, kReadWrite, kReadOnly, kWithoutLog };

  // Sets the pragmas of every connection: foreign keys, busy timeout, synchronous=FULL. kCreate
  // also makes the file, with a rollback journal: UseWriteAheadLog() changes that for good.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, Mode mode);
  ~Database() override;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // From now on and for all connections commits go to a write-ahead log, so that readers and the
  // writer do not wait for each other. FAILED_PRECONDITION where the file system has no shared
  // memory.
  absl::Status UseWriteAheadLog();
  // Whether the last connection that closes leaves the log as it is instead of writing it back.
  void KeepLogOnClose(bool keep);
  // Runs statements that return nothing of interest, separated by semicolons.
  absl::Status Execute(const char* sql);
  // From now on statements ask `is_cancelled` every few thousand steps; true ends them with
  // CANCELLED. Empty: never.
  void CancelWhen(std::function<bool()> is_cancelled);
  // From now on `note` hears each error that means damage to the file, on the connection's thread.
  void WhenDamaged(std::function<void(const absl::Status&)> note) {
    note_damage_ = std::move(note);
  }
  // Copies the whole database over that of `target`, a few pages at a time; CANCELLED once
  // `is_cancelled` (may be empty) says so. Without a transaction on this connection a writer makes
  // it begin again.
  absl::Status CopyTo(Database& target, const std::function<bool()>& is_cancelled);

  // From now on statements can read the table `name`, which the module makes of `rows`. No
  // statement may read it after `rows` is gone.
  absl::Status AddTable(const char* name, const sqlite3_module& module, void* rows);

  // As Transactions says. A transaction locks the file for writing from its beginning.
  absl::Status Begin() override { return Execute("BEGIN IMMEDIATE"); }
  absl::Status Commit() override { return Execute("COMMIT"); }
  void Rollback() override { Execute("ROLLBACK").IgnoreError(); }
  bool InTransaction() const override;
  absl::Status Savepoint() override;
  absl::Status RollbackToSavepoint() override;
  absl::Status ReleaseSavepoint() override;

  // Of the last INSERT, UPDATE or DELETE.
  int64_t ChangedRowCount() const;
  int64_t LastInsertId() const;

 private:
  friend class Query;
  explicit Database(sqlite3* db) : db_(db) {}
  // The status of SQLite's result code; tells note_damage_.
  absl::Status Error(int code) const;
  absl::Status StatusOf(int code) const;

  sqlite3* db_;
  std::function<bool()> is_cancelled_;
  std::function<void(const absl::Status&)> note_damage_;
  absl::flat_hash_map<std::string, sqlite3_stmt*> statements_;
};

// A statement in use: bind, then step. The compiled statement stays in the connection's cache; the
// query gives it back when it goes. At most one query of the same text at a time on a connection.
//
//   Query query(db, "SELECT name FROM machine WHERE machine_id > ?");
//   query.Bind(int64_t{7});
//   while (query.Next()) names.push_back(query.Text(0));
//   return query.status();
class Query {
 public:
  Query(Database& db, absl::string_view sql);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters in order. Text must live until the next Reset() or the end of the query.
  Query& Bind(int64_t value);
  Query& Bind(double value);  // NaN becomes NULL
  Query& Bind(absl::string_view value);
  Query& BindNull();
  // Bytes instead of text; live as long.
  Query& BindBytes(absl::string_view value);

  // True: a row is there. False: no more, or an error (status()).
  bool Next();
  // Runs to the end and ignores rows.
  absl::Status Run();
  // The first column of the first row; 0 without a row.
  absl::StatusOr<int64_t> Number();
  // Ready for new parameters.
  void Reset();
  const absl::Status& status() const { return status_; }

  // Columns of the current row, from 0. Text of NULL is "".
  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  // Valid until the next step.
  absl::string_view Bytes(int column) const;
  bool IsNull(int column) const;

 private:
  void Check(int code);

  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
  int next_parameter_ = 1;
  absl::Status status_;
};

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_DATABASE_H_
