// Observations to better parameters: the iterated extended Kalman filter on their logarithms
// (refined_model.h), for every model.
#ifndef COX_LEARN_REFINE_REFINE_H_
#define COX_LEARN_REFINE_REFINE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/samples.h"
#include "model/profile.h"

namespace cox::learn {

struct Refinement {
  domain::Profile profile;
  int64_t used_count = 0;     // observations whose strategy has a known structure
  int64_t skipped_count = 0;  // the others
  // |predicted after / predicted before - 1| over the used ones, under the model that lies nearest
  // to them after; 1 where there was no prediction before.
  double median_change = 0;
};

// One step of the filter per observation, in the order given, starting from `prior` with
// its standard errors as the prior covariance (an absent parameter starts wide). Each observation
// is a cell of weight >= 1. Relative error is what is minimised; outliers are down-weighted; values
// stay >= 0 and finite, and where a piece ends, prices are drawn towards not falling by more than
// they did in `prior` (refined_model.h: KeepMonotone). An empty prior and no usable observation
// give an empty profile.
Refinement Refine(const domain::Profile& prior, absl::Span<const Cell> observations);

}  // namespace cox::learn

#endif  // COX_LEARN_REFINE_REFINE_H_
