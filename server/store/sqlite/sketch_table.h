// The rows of sketches. No transaction of its own.
//
// Thread rule: the connection's. Failure rule: as database.h; DATA_LOSS for a damaged row.
#ifndef COX_STORE_SQLITE_SKETCH_TABLE_H_
#define COX_STORE_SQLITE_SKETCH_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/pattern/sketch.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Whose row it is.
struct SketchReporter {
  int64_t machine_id;
  int64_t job_id;
  int64_t source_id;  // 0: none
};

// Adds a sketch to the reporter's row of the same key. True: there was none, and it made the row.
absl::StatusOr<bool> AddToSketch(Database& db, const SketchReporter& reporter,
                                 const domain::PatternSketch& sketch, int64_t now_us);

// Removes rows of an application beyond kMostApplicationSketchRows, and of a machine beyond
// kMostSketchRows: each time the oldest of the source that has most. Each reads about as many rows
// as it leaves: once for many new rows.
absl::Status PruneApplicationSketches(Database& db, int64_t machine_id,
                                      absl::string_view application);
absl::Status PruneSketches(Database& db, int64_t machine_id);

// Oldest row first. `application`: "" for all.
absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Database& db, absl::string_view machine,
                                                       absl::string_view application);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_SKETCH_TABLE_H_
