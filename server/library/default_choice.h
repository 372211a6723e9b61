// What a library runs when nobody tells it what to run: its own fixed decision, as a table (data,
// not code). It gives "default" a structure. Immutable, any thread; allocates nothing.
#ifndef COX_LIBRARY_DEFAULT_CHOICE_H_
#define COX_LIBRARY_DEFAULT_CHOICE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// The row that `library` picks by itself for this scenario; `assume` says whether the
// reduction is commutative. The row's needs need not be met: as with a forced row, Effective() says
// what then runs. It is one of AlgorithmsOf() or of StockVariants(). Null for a library whose
// decision is not known, for a single rank, which no decision is about, and where
// MPICH splits the call into several on parts of the ranks that together are no row. The scenario
// is valid. O(rows of the collective).
const Algorithm* StockChoice(absl::string_view library, const strategy::Scenario& scenario,
                             const Assumptions& assume);

// Rows whose strategy is not that of their namesake in AlgorithmsOf(): the library's own decision
// runs them with other knobs than a tuning file of ours does; and rows (native_id -1) that are not
// in AlgorithmsOf(), as nothing can make the library choose them, or anything else, there.
absl::Span<const Algorithm> StockVariants();

}  // namespace cox::library

#endif  // COX_LIBRARY_DEFAULT_CHOICE_H_
