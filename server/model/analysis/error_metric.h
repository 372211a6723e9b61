// The error of a prediction, the same for too high and too low: a prediction off by the factor f
// has the error f - 1, for times and for rates.
//
// Source: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation
// models, ACM TOCS 16(3), 1998, section 5.4. Pure functions, any thread.
#ifndef COX_MODEL_ANALYSIS_ERROR_METRIC_H_
#define COX_MODEL_ANALYSIS_ERROR_METRIC_H_

#include "absl/status/statusor.h"

namespace cox::model {

// Measured minus predicted over the smaller of both, |m - p| / min(m, p), as a fraction (0.26 is
// 26 %). Both 0: 0. Exactly one 0: +inf; show it as "not defined". INVALID_ARGUMENT (field
// "measured" or "predicted") for a number that is negative or not finite.
absl::StatusOr<double> ErrorOf(double measured, double predicted);

}  // namespace cox::model

#endif  // COX_MODEL_ANALYSIS_ERROR_METRIC_H_
