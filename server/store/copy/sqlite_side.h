// SQLite as a side of a copy: the file coxswain.db in a directory. While it is filled its name is
// coxswain.db.copy.
//
// Thread rule: as side.h. Failure rule: NOT_FOUND (no source), FAILED_PRECONDITION (the source is
// of another version, the target directory has a database or belongs to a running coxd), and what
// sqlite/database.h says.
#ifndef COX_STORE_COPY_SQLITE_SIDE_H_
#define COX_STORE_COPY_SQLITE_SIDE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/copy/side.h"

namespace cox::store {

absl::StatusOr<std::unique_ptr<Source>> OpenSqliteSource(const std::string& directory);

// Goes on with coxswain.db.copy if there is one.
absl::StatusOr<std::unique_ptr<Target>> OpenSqliteTarget(const std::string& directory);

}  // namespace cox::store

#endif  // COX_STORE_COPY_SQLITE_SIDE_H_
