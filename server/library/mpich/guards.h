// Which test of MPICH's selection tree guarantees what an algorithm needs. Immutable, any thread.
#ifndef COX_LIBRARY_MPICH_GUARDS_H_
#define COX_LIBRARY_MPICH_GUARDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/leaves.h"
#include "library/mpich/test.h"

namespace cox::library {

struct MpichGuard {
  MpichNeed need;
  MpichTest first;        // stands before `second`, which holds where it does not
  MpichTest second;       // the end of the row
  bool first_guarantees;  // the need, or `second` does
  absl::string_view words;
};

// One guard for each need, in the order in which a writer puts them around a leaf.
absl::Span<const MpichGuard> MpichGuards();

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_GUARDS_H_
