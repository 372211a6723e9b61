// The rows of sketches. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as session.h; DATA_LOSS for a damaged row.
#ifndef COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
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

  friend auto operator<=>(const SketchReporter&, const SketchReporter&) = default;
};

// Sketches of any reporters, one for each row, in order of their first part.
class SketchParts {
 public:
  struct Row {
    SketchReporter reporter;
    domain::PatternSketch sketch;
  };

  // Adds `sketch` to the part of the same reporter and key.
  void Add(const SketchReporter& reporter, const domain::PatternSketch& sketch);

  std::vector<Row>& rows() { return rows_; }

 private:
  std::vector<Row> rows_;
  std::map<std::pair<SketchReporter, domain::PatternKey>, size_t> index_;
};

// Adds the parts to their rows. Makes rows that are missing, and removes the oldest ones beyond
// kMostApplicationSketchRows and kMostSketchRows. Three statements at most, however many parts.
// Writers take turns (next_id), so no other one changes the rows meanwhile.
absl::Status AddToSketches(Session& session, SketchParts parts, int64_t now_us);

// Oldest row first. `application`: "" for all.
absl::StatusOr<std::vector<SketchRecord>> ReadSketches(Session& session, absl::string_view machine,
                                                       absl::string_view application);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_SKETCH_ROWS_H_
