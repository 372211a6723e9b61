// Copies a database of SQLite into an empty one of PostgreSQL, table by table in one transaction.
//
// Thread rule: one call at a time; a daemon may use the source meanwhile, and the copy is as of one
// commit. Failure rule: FAILED_PRECONDITION (the source is of another version, the target is not
// empty), NOT_FOUND (no source), DATA_LOSS (the counts of rows differ afterwards), and what the
// engines say. After an error the target is as before.
#ifndef COX_STORE_COPY_COPY_H_
#define COX_STORE_COPY_COPY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::store {

// Hears now and then how many rows of a table have been copied, and once at its end.
using CopyProgress = std::function<void(absl::string_view table, int64_t row_count)>;

// `from`: the directory of coxswain.db. `to_url`: "postgresql://...".
absl::Status CopyToPostgres(const std::string& from, const std::string& to_url,
                            const CopyProgress& progress);

}  // namespace cox::store

#endif  // COX_STORE_COPY_COPY_H_
