// Which of several costs is the least, size by size: the whole numbers at which the least one
// changes, found exactly rather than on a grid. Knows neither strategies nor models. Pure; any
// thread.
#ifndef COX_ADVISE_BEST_RANGES_H_
#define COX_ADVISE_BEST_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace cox::advise {

// From a size up to the next range: the curve that is the least.
struct BestRange {
  int64_t from = 0;
  size_t curve = 0;
  double amount = 0;           // its own, at `from`
  double previous_amount = 0;  // of the range before, at `from`; 0 in the first one
};

struct BestRanges {
  std::vector<BestRange> ranges;  // in order
  int64_t through = 0;            // how far they were followed: max, or less where a bound was met
};

struct RangeLimits {
  size_t ranges = 1000;
  int64_t evaluations = 2'000'000;
};

// A curve stays the least until another one is below it by more than this share. Two strategies
// that cost the same would otherwise take turns at every rounding error.
inline constexpr double kTieShare = 1e-9;

// Follows the least of `curves` curves over the sizes min .. max (min <= max). amount_at(i, size)
// is the i-th curve's, >= 0. At the first size the curve with the least index among the least is
// taken; from then on it changes at the first size at which the one at hand is no longer among the
// least (see kTieShare), to the first one that is.
//
// Exact for curves that do not fall between two consecutive `knees` (sizes in any order): an
// interval is left out only where the greatest amount of the curve at hand is not above the least
// amount of any other, or where both curves are smooth and far enough apart; otherwise it is cut in
// two, down to single bytes. Curves of steps (packets, segments) count as not smooth. Over a bound
// of `limits` it ends early and says through which size it came.
BestRanges FollowBest(size_t curves, absl::FunctionRef<double(size_t, int64_t)> amount_at,
                      int64_t min, int64_t max, absl::Span<const int64_t> knees,
                      const RangeLimits& limits = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_BEST_RANGES_H_
