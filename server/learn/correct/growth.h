// How the time of an algorithm of unknown structure may grow: a non-negative combination of generic
// terms in ranks, nodes, ranks per node and bytes. The terms have no physical meaning. Plain data,
// any thread.
#ifndef COX_LEARN_CORRECT_GROWTH_H_
#define COX_LEARN_CORRECT_GROWTH_H_

#include <array>
#include <vector>

#include "absl/types/span.h"

namespace cox::learn {

// Where a question or a cell lies. All values are >= 1, except block_bytes >= 0.
struct Point {
  double nodes = 1;
  double ppn = 1;
  double ranks = 1;
  double block_bytes = 0;
};

// The first term is the structural price; 0 where there is none.
inline constexpr int kGrowthTerms = 13;
using GrowthTerms = std::array<double, kGrowthTerms>;

// The values of all terms at a point.
GrowthTerms TermsAt(const Point& point, double structural_time_s);

// A time as a combination of the terms, all coefficients >= 0.
struct Growth {
  GrowthTerms coefficients{};

  // In seconds; 0 where all terms are 0.
  double TimeAt(const Point& point, double structural_time_s) const;
};

struct GrowthSample {
  Point point;
  double structural_time_s = 0;
  double time_s = 0;
  double weight = 1;
};

// Fits in relative error. The prior is the structural price alone: coefficient 1, generic terms 0.
// More samples outweigh it. Without a structural price the prior pulls all coefficients to 0 a
// little. O(n) for n samples.
Growth FitGrowth(absl::Span<const GrowthSample> samples);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_GROWTH_H_
