// How MPI libraries name our strategies: one table of rows (data, not code) per library, and the
// rules that decide which row really runs. A library's name for an algorithm is `native_name`, its
// number `native_id`. Immutable, any thread.
#ifndef COX_STRATEGY_LIBRARY_MAP_H_
#define COX_STRATEGY_LIBRARY_MAP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// What a row needs from the call. A combination is a bit-or.
enum Precondition : uint32_t {
  kNone = 0,
  kPowerOfTwoRanks = 1u << 0,
  kEvenRanks = 1u << 1,
  kTwoRanks = 1u << 2,
  kElementsAtLeastRanks = 1u << 3,
  kCommutative = 1u << 4,                // runs as itself only for a commutative operation
  kElementsAtLeastPowerOfTwo = 1u << 5,  // elements >= the largest power of two <= ranks
  kTwoElements = 1u << 6,                // at least
};

struct LibraryAlgorithm {
  absl::string_view library;  // "openmpi-4.1"
  Collective collective;
  absl::string_view native_name;  // "modified_bruck"
  int native_id;                  // the number the library takes; -1 where it takes names only
  absl::string_view strategy;  // "alltoall/bruck", "" where the catalogue has no structure for it
  uint32_t needs;              // Preconditions under which it runs as itself
  absl::string_view
      fallback;  // native_name that silently runs when `needs` are not met; "" = error
  bool safe_for_any_operation;  // right results also for a non-commutative operation
  absl::string_view source;     // where this row is from
};

// Libraries that have rows, and all rows of one library (empty for an unknown one).
absl::Span<const absl::string_view> Libraries();
absl::Span<const LibraryAlgorithm> LibraryAlgorithms(absl::string_view library);

// Whether the library has rows for this collective: without, nothing is known of its algorithms.
bool Lists(absl::string_view library, Collective collective);

// Null when the library has no such row. Exact match on the library's name.
const LibraryAlgorithm* FindLibraryAlgorithm(absl::string_view library, Collective collective,
                                             absl::string_view native_name);
const LibraryAlgorithm* FindLibraryAlgorithm(absl::string_view library, Collective collective,
                                             int native_id);

// The row that really runs when `row` is forced for this scenario (follows fallbacks; `commutative`
// says whether the reduction is). Null where the library would fail, or make its own choice,
// instead.
const LibraryAlgorithm* Effective(const LibraryAlgorithm& row, const Scenario& scenario,
                                  bool commutative);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_LIBRARY_MAP_H_
