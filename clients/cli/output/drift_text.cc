#include "cli/output/drift_text.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "console/printable.h"
#include "console/units.h"

namespace cox::cli {
namespace {

// Nothing where it is of all sizes.
std::string SizesText(int64_t min_bytes, int64_t max_bytes) {
  const bool has_most = max_bytes < std::numeric_limits<int64_t>::max();
  // Ranges end before a round number.
  const std::string below = has_most ? console::FormatBytes(max_bytes + 1) : "";
  if (min_bytes <= 0) return has_most ? absl::StrCat(" of less than ", below) : "";
  if (!has_most) return absl::StrCat(" of ", console::FormatBytes(min_bytes), " or more");
  return absl::StrCat(" of ", console::FormatBytes(min_bytes), " to less than ", below);
}

}  // namespace

std::string DescribeDrift(const v1::Drift& drift) {
  return absl::StrCat("times",
                      drift.collective().empty()
                          ? std::string()
                          : absl::StrCat(" of ", console::Printable(drift.library()), " ",
                                         console::Printable(drift.collective())),
                      drift.level() == "network" ? " over the network" : " within a node",
                      SizesText(drift.min_block_bytes(), drift.max_block_bytes()), " are ",
                      absl::StrFormat("%.2f", drift.factor()), " times what they were");
}

}  // namespace cox::cli
