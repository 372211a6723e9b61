#include "bench/size_list.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace cox::bench {

absl::StatusOr<std::vector<int64_t>> ParseSizeList(absl::string_view text, console::SweepOf of) {
  absl::StatusOr<std::vector<int64_t>> sizes = console::ParseSweep(text, 0, kMaxBlockBytes, of);
  if (!sizes.ok()) return sizes;
  std::sort(sizes->begin(), sizes->end());
  sizes->erase(std::unique(sizes->begin(), sizes->end()), sizes->end());
  if (static_cast<int64_t>(sizes->size()) > kMaxListLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' has more than ", kMaxListLength, " values"));
  }
  return sizes;
}

}  // namespace cox::bench
