// Cells sorted out for learning: what really ran, where the catalogue knows its structure, and the
// samples of one algorithm thinned out to a bounded number. Stateless, any thread; bad cells are
// left out.
#ifndef COX_LEARN_CELLS_H_
#define COX_LEARN_CELLS_H_

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

// What two timings must share to be of the same call: library, collective, algorithm, nodes, ppn,
// ranks, block_bytes, type_bytes. The names live as long as those that it was made of.
using Call = std::tuple<absl::string_view, absl::string_view, absl::string_view, int64_t, int64_t,
                        int64_t, int64_t, int64_t>;
// ... and to have been timed in the same way.
using TimedCall = std::pair<domain::CellKind, Call>;

// The cell's call with that algorithm: the cell's own name, that of the code that really ran, or ""
// for whatever was run there.
inline Call CallOf(const Cell& cell, absl::string_view algorithm) {
  return {cell.library, cell.collective, algorithm,        cell.nodes,
          cell.ppn,     cell.ranks,      cell.block_bytes, cell.type_bytes};
}
inline TimedCall TimedCallOf(const Cell& cell, absl::string_view algorithm) {
  return {cell.kind, CallOf(cell, algorithm)};
}

struct PreparedCell {
  const Cell* cell = nullptr;
  // The library's name of the code that really ran: `cell->algorithm` unless it fell back silently.
  // "default" stays what it is.
  absl::string_view algorithm;
  // Of the default: the name of the code that runs if the library's own decision is in force.
  absl::string_view picked;
  Point point;
  std::optional<strategy::Scenario> scenario;    // where the collective has strategies
  const strategy::Strategy* strategy = nullptr;  // where the structure is known
};

// Cells that are finite, of positive weight and in range, in the order given. Reductions are taken
// to be commutative, as nearly all are. Points into `cells` and at `shape`, the machine's.
std::vector<PreparedCell> PrepareCells(absl::Span<const Cell> cells, const domain::Shape& shape);

// A place with the timings around it summed up.
struct PlacedTime {
  Point point;
  double structural_time_s = 0;  // at `point`; 0: none
  double log_time = 0;
  double variance = 0;         // of log_time, without what follows
  double common_variance = 0;  // of an error of log_time that an algorithm's places share
  double weight = 0;           // timings, as they say
  double observations = 1;     // reports of them
};

// Merges entries at the same place; while more than `limit` remain, also neighbours within ever
// larger boxes of (log2 ranks, log2 nodes, log2 bytes). The place of a merged entry is that of its
// heaviest member, to which the others' times are moved by the ratio of their structural prices
// where all have one.
std::vector<PlacedTime> MergePlaces(const std::vector<PlacedTime>& places, size_t limit);

}  // namespace cox::learn

#endif  // COX_LEARN_CELLS_H_
