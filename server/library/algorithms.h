// The libraries' names for the catalogue's strategies, and the rules of which algorithm really
// runs. `native_name` is a library's name for an algorithm, `native_id` its number. Immutable, any
// thread.
#ifndef COX_LIBRARY_ALGORITHMS_H_
#define COX_LIBRARY_ALGORITHMS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/collective.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// All rows of one library (empty for an unknown one).
absl::Span<const Algorithm> AlgorithmsOf(absl::string_view library);

// Whether the library has rows for this collective. Without rows its algorithms are not known.
bool Lists(absl::string_view library, domain::Collective collective);

// Null when the library has no such row. Exact match on the library's name.
const Algorithm* FindAlgorithm(absl::string_view library, domain::Collective collective,
                               absl::string_view native_name);
const Algorithm* FindNativeAlgorithm(absl::string_view library, domain::Collective collective,
                                     int native_id);

// The row that really runs when `row` is forced for this scenario (follows fallbacks). Null where
// the library would fail, or make its own choice, instead.
const Algorithm* Effective(const Algorithm& row, const strategy::Scenario& scenario,
                           const Assumptions& assume);

// Whether it cuts a message by each rank's own count. MPI requires only the bytes to be the same on
// all ranks. With different counts and types the pieces would differ.
bool CutsByOwnCount(const Algorithm& row);

}  // namespace cox::library

#endif  // COX_LIBRARY_ALGORITHMS_H_
