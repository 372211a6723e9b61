#include "library/default_ranges.h"

#include <algorithm>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/default_choice.h"
#include "library/size_changes.h"

namespace cox::library {
namespace {

// No decision of a library changes above.
constexpr int64_t kLargest_bytes = int64_t{1} << 30;

}  // namespace

std::vector<StockRange> StockRanges(absl::string_view library, const strategy::Scenario& scenario,
                                    const Assumptions& assume) {
  strategy::Scenario asked = scenario;
  const auto range_at = [&](int64_t block_bytes) {
    asked.block_bytes = block_bytes;
    StockRange range{block_bytes, StockChoice(library, asked, assume), nullptr};
    if (range.picked != nullptr) range.runs = Effective(*range.picked, asked, assume);
    return range;
  };
  const auto is_same = [](const StockRange& a, const StockRange& b) {
    return a.picked == b.picked && a.runs == b.runs;
  };
  const int64_t largest = scenario.collective == domain::Collective::kBarrier ? 0 : kLargest_bytes;
  std::vector<StockRange> ranges = FollowSizes<StockRange>(largest, range_at, is_same);
  const auto is_known = [](const StockRange& range) { return range.picked != nullptr; };
  ranges.erase(ranges.begin(), std::find_if(ranges.begin(), ranges.end(), is_known));
  return ranges;
}

}  // namespace cox::library
