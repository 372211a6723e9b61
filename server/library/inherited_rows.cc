#include "library/inherited_rows.h"

namespace cox::library {

std::vector<Algorithm> InheritRows(absl::Span<const Algorithm> ancestor, absl::string_view library,
                                   absl::string_view source, absl::Span<const Algorithm> added) {
  std::vector<Algorithm> rows(ancestor.begin(), ancestor.end());
  for (Algorithm& row : rows) {
    row.library = library;
    row.source = source;
  }
  rows.insert(rows.end(), added.begin(), added.end());
  return rows;
}

}  // namespace cox::library
