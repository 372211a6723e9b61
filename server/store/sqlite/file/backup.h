// Copies of the whole database: a backup while others write, and the restoring of one.
//
// Thread rule: WriteBackup(): the source connection's; RestoreBackup(): by the holder of the
// directory's lock, with the database closed. Failure rule: DATA_LOSS (the source is damaged),
// ALREADY_EXISTS (there is a file of that name), CANCELLED, RESOURCE_EXHAUSTED (disk full),
// NOT_FOUND (no backup), FAILED_PRECONDITION (of a newer program, not writable). After an error no
// new file is left and no old one is changed.
#ifndef COX_STORE_SQLITE_FILE_BACKUP_H_
#define COX_STORE_SQLITE_FILE_BACKUP_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Writes what `source` sees into `path`: one file without a log, mode 0600, with an identity of its
// own. Every page is checked, then synced. The caller holds a transaction on `source`, so that
// writers do not make it begin again.
absl::Status WriteBackup(Database& source, const std::string& path,
                         const std::function<bool()>& is_cancelled);

// Puts a copy of the backup in the place of the database `path`. The replaced database and its log
// stay as PATH.replaced and PATH.replaced-wal; if there are such files already, as PATH.replaced-2
// and PATH.replaced-2-wal, and so on. Returns the name of the replaced database; empty if there was
// none.
absl::StatusOr<std::string> RestoreBackup(const std::string& backup, const std::string& path);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_BACKUP_H_
