// A library's default: its own fixed decision as a table. It gives "default" a structure.
// Immutable, any thread; allocates nothing.
#ifndef COX_LIBRARY_DEFAULT_CHOICE_H_
#define COX_LIBRARY_DEFAULT_CHOICE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::library {

// The row of AlgorithmsOf() or DefaultVariants() that `library` chooses for this scenario. `assume`
// tells whether a reduction commutes. The row's needs may not be met: Effective() tells what then
// runs, as with a forced row. Null for a library whose decision is not known, for a single rank,
// and where MPICH splits the call into calls on parts of the ranks that have no common row. The
// scenario is valid. O(rows of the collective).
const Algorithm* DefaultChoice(absl::string_view library, const strategy::Scenario& scenario,
                               const Assumptions& assume);

// Rows that the library's default runs with other options than a tuning file does, so that their
// strategy differs from that of the same name in AlgorithmsOf(). Also rows (native_id -1) that are
// not in AlgorithmsOf(), because no setting changes the library's choice there.
absl::Span<const Algorithm> DefaultVariants();

}  // namespace cox::library

#endif  // COX_LIBRARY_DEFAULT_CHOICE_H_
