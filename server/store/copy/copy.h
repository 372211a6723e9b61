// Copies a database of SQLite into PostgreSQL, or back.
//
// Observations go piece by piece, each committed by itself; all else in one last transaction, which
// also gives the copy its name. So a copy that was interrupted goes on: pieces that are there and
// equal are skipped. Each table and each piece is read back and compared by count and checksum.
//
// Thread rule: one call at a time; a daemon may use the source meanwhile, and the copy is as of one
// commit. Failure rule: FAILED_PRECONDITION (the source is of another version, the target is not
// empty or in use), NOT_FOUND (no source), DATA_LOSS (the copy differs from the source), and what
// the engines say. After an error no daemon finds the unfinished copy.
#ifndef COX_STORE_COPY_COPY_H_
#define COX_STORE_COPY_COPY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::store {

// Hears after each piece how many rows of a table are there, and once at its end.
using CopyProgress = std::function<void(absl::string_view table, int64_t row_count)>;

inline constexpr int64_t kPieceIds = 1'000'000;

// `directory`: of coxswain.db. `url`: "postgresql://...". `piece_ids`: observations of a piece, at
// least 1; tests choose few.
absl::Status CopyToPostgres(const std::string& directory, const std::string& url,
                            const CopyProgress& progress, int64_t piece_ids = kPieceIds);
absl::Status CopyToSqlite(const std::string& url, const std::string& directory,
                          const CopyProgress& progress, int64_t piece_ids = kPieceIds);

}  // namespace cox::store

#endif  // COX_STORE_COPY_COPY_H_
