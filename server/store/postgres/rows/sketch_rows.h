// The rows of sketches. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as session.h; DATA_LOSS for a damaged row.
#ifndef COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/pattern/sketch.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// Whose row it is.
struct SketchReporter {
  int64_t machine_id;
  int64_t job_id;
  int64_t source_id;  // 0: none
};

// Adds a sketch to the reporter's row of the same key. Makes the row if there is none, and removes
// the machine's oldest row beyond kMostSketchRows. Writers take turns (next_id), so no other one
// changes the row meanwhile.
absl::Status AddToSketch(Session& session, const SketchReporter& reporter,
                         const domain::PatternSketch& sketch, int64_t now_us);

// Oldest row first. `application`: "" for all.
absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Session& session, absl::string_view machine,
                                                       absl::string_view application);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_
