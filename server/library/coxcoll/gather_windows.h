// Windows of a gather beyond those of libcoxcoll's table. The library takes any window, and the
// cluster model computes one for each size; a table with all of them would be measured for hours.
// Immutable, any thread.
#ifndef COX_LIBRARY_COXCOLL_GATHER_WINDOWS_H_
#define COX_LIBRARY_COXCOLL_GATHER_WINDOWS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/algorithm.h"

namespace cox::library {

// The largest window with a row.
inline constexpr int64_t kMostGatherWindow = 256;

// The rows "windowed?window=W" of the windows that the table lacks, to kMostGatherWindow. None of
// them has a run-time number. Made at the first call.
absl::Span<const Algorithm> WideGatherWindows();

// The row of a window; null where WideGatherWindows() has none.
const Algorithm* FindWideGatherWindow(int64_t window);
const Algorithm* FindWideGatherWindow(absl::string_view native_name);

}  // namespace cox::library

#endif  // COX_LIBRARY_COXCOLL_GATHER_WINDOWS_H_
