// The pages of the database file: how many there are, and giving free ones back.
//
// Thread rule: the connection's. Failure rule: as database.h.
#ifndef COX_STORE_SQLITE_FILE_PAGES_H_
#define COX_STORE_SQLITE_FILE_PAGES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// All but log_bytes.
absl::StatusOr<FileFacts> ReadPageCounts(Database& db);

struct Freed {
  int64_t page_count = 0;  // in this step
  int64_t left_count = 0;  // free pages that are left
};
// One step of an incremental vacuum, in the caller's transaction: some ten milliseconds. The file
// shrinks at a later checkpoint. FAILED_PRECONDITION: the file was made without room for it.
absl::StatusOr<Freed> FreePages(Database& db);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_FILE_PAGES_H_
