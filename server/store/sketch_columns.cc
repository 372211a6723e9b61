#include "store/sketch_columns.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace cox::store {

std::string EncodeCounts(const domain::PatternCounts& counts) {
  const auto last =
      std::find_if(counts.rbegin(), counts.rend(), [](int64_t count) { return count != 0; });
  return absl::StrJoin(counts.begin(), last.base(), ",");
}

absl::Status DecodeCounts(absl::string_view text, domain::PatternCounts* counts) {
  counts->fill(0);
  if (text.empty()) return absl::OkStatus();
  size_t next = 0;
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    if (next == counts->size() || !absl::SimpleAtoi(word, &(*counts)[next++])) {
      return absl::DataLossError(absl::StrCat("pattern_sketch: \"", text, "\" is not counts"));
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::store
