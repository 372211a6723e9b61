// What a library runs when nobody tells it what to run: its own fixed decision, as a table (data,
// not code). It gives "default" a structure. Immutable, any thread; allocates nothing.
#ifndef COX_STRATEGY_STOCK_DECISION_H_
#define COX_STRATEGY_STOCK_DECISION_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "strategy/library_map.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// The row that `library` picks by itself for this scenario; `commutative` says whether the
// reduction is. The row's needs need not be met: as with a forced row, Effective() says what then
// runs. It is one of LibraryAlgorithms() or of StockVariants(). Null for a library whose decision
// is not in the table (all but "openmpi-4.1"), and for a single rank, which no decision is about.
// The scenario is valid. O(rows of the collective).
const LibraryAlgorithm* StockChoice(absl::string_view library, const Scenario& scenario,
                                    bool commutative);

// Rows whose strategy is not that of their namesake in LibraryAlgorithms(): the library's own
// decision runs them with other knobs than a tuning file of ours does.
absl::Span<const LibraryAlgorithm> StockVariants();

}  // namespace cox::strategy

#endif  // COX_STRATEGY_STOCK_DECISION_H_
