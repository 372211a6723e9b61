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
  // The same at the point of these terms, of which the first does not count.
  double TimeAt(const GrowthTerms& terms, double structural_time_s) const;
};

struct GrowthSample {
  Point point;
  double structural_time_s = 0;
  double time_s = 0;
  double weight = 1;
};

// The strength of the prior, in samples.
struct GrowthPrior {
  double structure = 1;   // the common factor on the structural price holds everywhere
  double factor = 1;      // this factor is 1
  double generic = 0.02;  // the generic terms are 0
  // The same beside a structural price, for a single sample; n samples count 1 / n^4 of this. One
  // or two samples show no growth: what they take more than the price would grow as ranks times
  // bytes.
  double generic_of_one = 100;
};
// The structural price is that of the algorithm.
inline constexpr GrowthPrior kKnownForm;
// The structural price is another time of unknown scale that is likely to grow in the same way.
inline constexpr GrowthPrior kBorrowedForm = {
    .structure = 4, .factor = 0, .generic = 3, .generic_of_one = 0};

// Fits in relative error. The prior is the structural price alone. More samples outweigh it.
// Without a structural price the prior pulls all coefficients to 0 a little. O(n) for n samples.
Growth FitGrowth(absl::Span<const GrowthSample> samples, const GrowthPrior& prior = kKnownForm);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_GROWTH_H_
