// Which tests of MPICH's selection tree guarantee what an algorithm needs. Immutable, any thread.
#ifndef COX_LIBRARY_MPICH_GUARDS_H_
#define COX_LIBRARY_MPICH_GUARDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/condition.h"
#include "library/mpich/leaves.h"

namespace cox::library {

struct MpichGuard {
  MpichNeed need;
  MpichTest first;        // comes before `second`, which holds where `first` does not
  MpichTest second;       // the end of the row
  bool first_guarantees;  // true: `first` guarantees the need; false: `second` does
  absl::string_view words;
};

// A guard for each need, in the order in which a writer puts them around a leaf.
absl::Span<const MpichGuard> MpichGuards();

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_GUARDS_H_
