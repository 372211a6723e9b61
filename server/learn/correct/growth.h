// How the time of an algorithm of unknown structure may grow: generic terms in ranks, nodes, ranks
// per node and bytes, and their non-negative combination. Not a model: the terms have no meaning of
// their own. Plain data, any thread.
#ifndef COX_LEARN_CORRECT_GROWTH_H_
#define COX_LEARN_CORRECT_GROWTH_H_

#include <array>
#include <vector>

#include "absl/types/span.h"

namespace cox::learn {

// Where a question or a cell lies. All values >= 1 but block_bytes, which is >= 0.
struct Point {
  double nodes = 1;
  double ppn = 1;
  double ranks = 1;
  double block_bytes = 0;
};

// The first term is the structural price itself (0 where there is none).
inline constexpr int kGrowthTerms = 13;
using GrowthTerms = std::array<double, kGrowthTerms>;

GrowthTerms TermsAt(const Point& point, double structural_time_s);

// A time as a combination of the terms, all coefficients >= 0.
struct Growth {
  GrowthTerms coefficients{};

  // 0 where no term says anything.
  double TimeAt(const Point& point, double structural_time_s) const;
};

struct GrowthSample {
  Point point;
  double structural_time_s = 0;
  double time_s = 0;
  double weight = 1;
};

// Fits in relative error. A structural price is believed in advance (coefficient 1, generic terms
// 0), the less the more samples there are; without one, all coefficients are pulled to 0 a little.
Growth FitGrowth(absl::Span<const GrowthSample> samples);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_GROWTH_H_
