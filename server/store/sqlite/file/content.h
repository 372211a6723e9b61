// Checks the database file and its write-ahead log together, through SQLite.
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

// The same for a file before it is used. Also checks that its log belongs to it: `db`, which reads
// both, must see a database of Coxswain with the identity that the file alone has. So it finds the
// log of another program, of another database, and of the database that a backup was copied over.
absl::Status CheckWithLog(Database& db, const std::string& path, int64_t whole_bytes);

// DATA_LOSS that names the log, if `damage` is DATA_LOSS and the file is in order without its log.
// Else `damage`.
absl::Status BlameLog(const absl::Status& damage, const std::string& path, int64_t whole_bytes);

// Every page, every row's constraints, that each index has each row of its table, and every
// reference between tables. Cost: all rows, and more than at a start, which leaves indexes out.
absl::Status CheckAll(Database& db);

// Gives the database a new identity, so that it rejects logs of the database that it was copied
// from.
absl::Status RenewIdentity(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_CONTENT_H_
