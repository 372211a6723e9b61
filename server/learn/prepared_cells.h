// Prepares cells for learning: finds which code really ran and its structure in the catalogue, and
// merges the places of one algorithm down to a bounded number. Stateless, any thread. Bad cells are
// left out.
#ifndef COX_LEARN_PREPARED_CELLS_H_
#define COX_LEARN_PREPARED_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/cell_key.h"
#include "domain/shape.h"
#include "learn/correct/growth.h"
#include "learn/samples.h"
#include "learn/structure.h"

namespace cox::learn {

// Identifies a call: library, collective, algorithm, nodes, ppn, ranks, block_bytes, type_bytes.
// The names live as long as the cell's.
using Call = std::tuple<absl::string_view, absl::string_view, absl::string_view, int64_t, int64_t,
                        int64_t, int64_t, int64_t>;
// A call and the way in which it was timed.
using TimedCall = std::pair<domain::CellKind, Call>;

// The cell's call with this algorithm: the cell's own name, the name of the code that really ran,
// or "" for the call with any algorithm.
inline Call CallOf(const Cell& cell, absl::string_view algorithm) {
  return {cell.library, cell.collective, algorithm,        cell.nodes,
          cell.ppn,     cell.ranks,      cell.block_bytes, cell.type_bytes};
}
inline TimedCall TimedCallOf(const Cell& cell, absl::string_view algorithm) {
  return {cell.kind, CallOf(cell, algorithm)};
}

struct PreparedCell {
  const Cell* cell = nullptr;
  // The library's name of the code that really ran. It differs from `cell->algorithm` where that
  // fell back silently. "default" stays "default".
  absl::string_view algorithm;
  // For the default: the code that the library's own decision table runs; "" for other cells.
  absl::string_view default_code;
  Point point;
  std::optional<strategy::Scenario> scenario;    // where the collective has strategies
  const strategy::Strategy* strategy = nullptr;  // where the structure is known
};

// Prepares the cells that are finite, in range and of positive weight, in the order given. Assumes
// that reductions commute, as nearly all do. The result points into `cells` and to `shape`, the
// machine's. O(n).
std::vector<PreparedCell> PrepareCells(absl::Span<const Cell> cells, const domain::Shape& shape);

// A place with the sum of the timings there.
struct PlacedTime {
  Point point;
  double structural_time_s = 0;  // at `point`; 0: none
  double log_time = 0;
  double variance = 0;         // of log_time, without common_variance
  double common_variance = 0;  // of the error of log_time that all places share
  double weight = 0;           // timings, as claimed
  double observations = 1;     // reports
  domain::CellKind kind = domain::CellKind::kBenchmark;
  int64_t only_reporter = 0;  // as in Cell
};

// Merges entries at the same place, and neighbours if there are more than `limit` places: it halves
// the group of places that lie farthest apart until there are `limit` groups. Distances are in
// doublings of ranks, nodes and ppn, and half as long in doublings of bytes. A merged entry has the
// place of its heaviest member. The others' times are moved there by the ratio of the structural
// prices, where all members have one. O(limit n + n log n); `limit` >= 1.
std::vector<PlacedTime> MergePlaces(const std::vector<PlacedTime>& places, size_t limit);

}  // namespace cox::learn

#endif  // COX_LEARN_PREPARED_CELLS_H_
