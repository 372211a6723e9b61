// How a sketch of messages lies in its row, whichever engine stores it.
//
// Thread rule: pure. Failure rule: DATA_LOSS for text that EncodeCounts() cannot have written.
#ifndef COX_STORE_SKETCH_COLUMNS_H_
#define COX_STORE_SKETCH_COLUMNS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/pattern/sketch.h"

namespace cox::store {

// The columns that a sketch is read from and written to, after those of its key and reporter.
inline constexpr const char* kSketchColumns =
    "phase_count, sampled_count, repeat_count, total_bytes, timed_count, inside_s, between_s,"
    " destination_counts, size_counts, distance_counts";

// Numbers with commas between them, without zeros at the end.
std::string EncodeCounts(const domain::PatternCounts& counts);
absl::Status DecodeCounts(absl::string_view text, domain::PatternCounts* counts);

// kSketchColumns, from column `first` of a query's row on. The key stays empty.
template <typename Query>
absl::StatusOr<domain::PatternSketch> SketchOf(const Query& query, int first) {
  domain::PatternSketch sketch;
  sketch.phase_count = query.Int(first);
  sketch.sampled_count = query.Int(first + 1);
  sketch.repeat_count = query.Int(first + 2);
  sketch.total_bytes = query.Real(first + 3);
  sketch.timed_count = query.Int(first + 4);
  sketch.inside_s = query.Real(first + 5);
  sketch.between_s = query.Real(first + 6);
  domain::PatternCounts* const counts[] = {&sketch.destination_counts, &sketch.size_counts,
                                           &sketch.distance_counts};
  for (int i = 0; i < 3; ++i) {
    absl::Status decoded = DecodeCounts(query.Text(first + 7 + i), counts[i]);
    if (!decoded.ok()) return decoded;
  }
  return sketch;
}

}  // namespace cox::store

#endif  // COX_STORE_SKETCH_COLUMNS_H_
