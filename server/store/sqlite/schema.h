// Opens the database file for writing: makes it if it is not there, proves that it is ours and
// whole enough to work with, and migrates it forward. Its cost does not depend on the number of
// rows.
//
// Thread rule: called once, by whoever holds the directory's lock.
// Failure rule: DATA_LOSS (damaged, or not ours), FAILED_PRECONDITION (made by a newer program),
// and what database.h says. On any error the file and its log stay unchanged.
#ifndef COX_STORE_SQLITE_SCHEMA_H_
#define COX_STORE_SQLITE_SCHEMA_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/sqlite/database.h"
#include "store/sqlite/migrations.h"

namespace cox::store {

// `migrations`: what the daemon gives is Migrations(); tests give more or fewer of them.
absl::StatusOr<std::unique_ptr<Database>> OpenMigrated(const std::string& path,
                                                       absl::Span<const Migration> migrations);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_SCHEMA_H_
