// Checks by observations whether a site's "default" runs what the library's own decision table
// says. A site's settings, or another version of the library, may choose otherwise. Stateless, any
// thread.
#ifndef COX_LEARN_CORRECT_DEFAULT_CHECK_H_
#define COX_LEARN_CORRECT_DEFAULT_CHECK_H_

#include <vector>

#include "learn/prepared_cells.h"

namespace cox::learn {

// Removes the structure of the default's cells, per (library, collective), where observations of
// the table's algorithm in the same calls contradict the table. Trusts the table where there is
// nothing to compare with. O(n log n) for n cells.
void DropContradictedDefaults(std::vector<PreparedCell>* cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_DEFAULT_CHECK_H_
