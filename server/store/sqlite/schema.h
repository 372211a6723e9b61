// Opens the database file for writing: creates a missing file, checks that it and its log are an
// intact database of Coxswain, and migrates it forward. The cost does not depend on the number of
// rows, except that of checking the pages of a small file.
//
// Thread rule: one call, by the holder of the directory's lock.
// Failure rule: DATA_LOSS (damaged, or not of Coxswain), FAILED_PRECONDITION (of a newer program,
// or it is missing beside an unfinished copy), and what database.h says. On any error the file and
// its log stay unchanged.
#ifndef COX_STORE_SQLITE_SCHEMA_H_
#define COX_STORE_SQLITE_SCHEMA_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/sqlite/database.h"
#include "store/sqlite/migrations.h"
#include "store/store.h"

namespace cox::store {

// `migrations`: Migrations() in the daemon; tests pass more or fewer. `whole_check_bytes`: as
// StoreOptions says.
absl::StatusOr<std::unique_ptr<Database>> OpenMigrated(
    const std::string& path, absl::Span<const Migration> migrations,
    int64_t whole_check_bytes = kWholeCheckBytes);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_SCHEMA_H_
