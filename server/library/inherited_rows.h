// The rows of a library that succeeds another one.
#ifndef COX_LIBRARY_INHERITED_ROWS_H_
#define COX_LIBRARY_INHERITED_ROWS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/algorithm.h"

namespace cox::library {

// The rows of `ancestor` under the name `library`, with the source that they still hold, then the
// rows of `added`. The texts outlive the rows.
std::vector<Algorithm> InheritRows(absl::Span<const Algorithm> ancestor, absl::string_view library,
                                   absl::string_view source, absl::Span<const Algorithm> added);

}  // namespace cox::library

#endif  // COX_LIBRARY_INHERITED_ROWS_H_
