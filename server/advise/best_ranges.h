// Finds which of several costs is the least at each size, and the exact sizes at which that
// changes. Knows neither strategies nor models. Pure; any thread.
#ifndef COX_ADVISE_BEST_RANGES_H_
#define COX_ADVISE_BEST_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace cox::advise {

// The least curve from a size up to the next range.
struct BestRange {
  int64_t from = 0;
  size_t curve = 0;
  double amount = 0;           // its own, at `from`
  double previous_amount = 0;  // of the range before, at `from`; 0 in the first one
};

struct BestRanges {
  std::vector<BestRange> ranges;  // in order
  int64_t through = 0;            // how far they reach: max, or less at a limit
};

struct RangeLimits {
  size_t ranges = 1000;
  int64_t evaluations = 2'000'000;
  // Whether intervals whose ends have the same least curve are searched, too. Otherwise a change
  // and its way back between two neighbouring stops stay unseen: for curves that take long.
  bool looks_between = true;
};

// A curve stays the least until another one is below it by more than this share. Otherwise two
// strategies of the same cost would alternate with every rounding error.
inline constexpr double kTieShare = 1e-9;

// Follows the least of `curves` curves over the sizes min .. max (min <= max). amount_at(i, size)
// is the i-th curve's amount, >= 0. At the first size it takes the first of the least curves. It
// changes at the first size at which the current curve is no longer among the least (kTieShare), to
// the first curve that is.
//
// Exact for curves that do not fall between two consecutive `knees` (sizes in any order). Stops are
// the knees and the powers of two. It skips
// an interval only if the current curve's greatest amount there is not above any other's least, or
// if both curves are smooth and far enough apart. Otherwise it halves the interval, down to single
// bytes. Curves with steps (packets, segments) are not smooth. At a limit it ends early and returns
// how far it came.
BestRanges FollowBest(size_t curves, absl::FunctionRef<double(size_t, int64_t)> amount_at,
                      int64_t min, int64_t max, absl::Span<const int64_t> knees,
                      const RangeLimits& limits = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_BEST_RANGES_H_
