// How far a prediction is off, in the measure that treats too high and too low alike: a factor f
// off either way is an error of f - 1, on times as on rates.
//
// Source: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation
// models, ACM TOCS 16(3), 1998, section 5.4. Pure functions, any thread.
#ifndef COX_MODEL_ANALYSIS_ERROR_METRIC_H_
#define COX_MODEL_ANALYSIS_ERROR_METRIC_H_

#include "absl/status/statusor.h"

namespace cox::model {

// |measured - predicted| / min(measured, predicted), as a fraction (0.26 is 26 %). Both 0: 0.
// Exactly one 0: +inf, which is to be shown as "not defined". INVALID_ARGUMENT (field "measured" or
// "predicted") for a number that is negative or not finite.
absl::StatusOr<double> ErrorOf(double measured, double predicted);

}  // namespace cox::model

#endif  // COX_MODEL_ANALYSIS_ERROR_METRIC_H_
