// What the database file and its write-ahead log hold together, checked through SQLite.
//
// Thread rule: the connection's. Failure rule: DATA_LOSS with the reason alone, else as
// database.h. Nothing is written.
#ifndef COX_STORE_SQLITE_FILE_CONTENT_H_
#define COX_STORE_SQLITE_FILE_CONTENT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "store/sqlite/database.h"

namespace cox::store {

// SQLite's quick_check. Up to `whole_bytes` of file and log: every page. Above: all tables except
// the two that grow with history, observation and batch.
absl::Status CheckPages(Database& db, const std::string& path, int64_t whole_bytes);

// The same for a file before it is used, and that its log belongs to it: `db`, which reads both,
// sees a database of Coxswain with the identity that the file alone has. Finds the log of another
// program, of another database, and of the database that a backup was copied over.
absl::Status CheckWithLog(Database& db, const std::string& path, int64_t whole_bytes);

// DATA_LOSS that names the log, if `damage` is DATA_LOSS and the file is in order without its log.
// Else `damage`.
absl::Status BlameLog(const absl::Status& damage, const std::string& path, int64_t whole_bytes);

// Every page, every row's constraints, and every reference between tables. Cost: all rows.
absl::Status CheckAll(Database& db, const std::string& path);

// A new identity, so that logs of the database that this one was copied from are foreign to it.
absl::Status RenewIdentity(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_CONTENT_H_
