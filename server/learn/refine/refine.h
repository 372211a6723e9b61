// Refines every model's parameters by observations: an iterated extended Kalman filter on the
// parameters' logarithms (refined_model.h).
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
  int64_t used_count = 0;     // observations of known structure
  int64_t skipped_count = 0;  // the others
  // The median of |predicted after / predicted before - 1| over the used observations, under the
  // model selected after the step; 1 where there was no prediction before.
  double median_change = 0;
};

// Takes one step of the filter per observation, in the order given. `prior` is the start, and its
// standard errors are the prior covariance; an absent parameter starts wide. Each observation is a
// cell of weight >= 1. The filter minimises relative errors and gives outliers less weight. Values
// stay >= 0 and finite. Where a piece ends, prices are drawn towards falling no more than they did
// in `prior` (KeepMonotone() in refined_model.h). An empty prior without usable observations gives
// an empty profile. O(observations x models).
Refinement Refine(const domain::Profile& prior, absl::Span<const Cell> observations);

}  // namespace cox::learn

#endif  // COX_LEARN_REFINE_REFINE_H_
