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

// Adds a sketch to the reporter's row of the same key. Makes the row if there is none, and removes
// the oldest rows beyond kMostApplicationSketchRows and kMostSketchRows.
absl::Status AddToSketch(Database& db, const SketchReporter& reporter,
                         const domain::PatternSketch& sketch, int64_t now_us);

// Oldest row first. `application`: "" for all.
absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Database& db, absl::string_view machine,
                                                       absl::string_view application);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_SKETCH_TABLE_H_
