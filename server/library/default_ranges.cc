#include "library/default_ranges.h"

#include <algorithm>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/default_choice.h"
#include "library/size_changes.h"

namespace cox::library {
namespace {

// No library's decision changes above this.
constexpr int64_t kLargest_bytes = int64_t{1} << 30;

}  // namespace

std::vector<DefaultRange> DefaultRanges(absl::string_view library,
                                        const strategy::Scenario& scenario,
                                        const Assumptions& assume) {
  strategy::Scenario asked = scenario;
  const auto range_at = [&](int64_t block_bytes) {
    asked.block_bytes = block_bytes;
    DefaultRange range{block_bytes, DefaultChoice(library, asked, assume), nullptr};
    if (range.chosen != nullptr) range.runs = Effective(*range.chosen, asked, assume);
    return range;
  };
  const auto is_same = [](const DefaultRange& a, const DefaultRange& b) {
    return a.chosen == b.chosen && a.runs == b.runs;
  };
  const int64_t largest = scenario.collective == domain::Collective::kBarrier ? 0 : kLargest_bytes;
  std::vector<DefaultRange> ranges = FollowSizes<DefaultRange>(largest, range_at, is_same);
  const auto is_known = [](const DefaultRange& range) { return range.chosen != nullptr; };
  ranges.erase(ranges.begin(), std::find_if(ranges.begin(), ranges.end(), is_known));
  return ranges;
}

}  // namespace cox::library
