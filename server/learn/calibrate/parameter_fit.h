// Fits the parameters of one model at one level to timings of known traffic, whatever the model:
// only its price and its coefficients are used. Robust, in relative error, every parameter >= 0.
// Not for parameters of several levels at once. Stateless, any thread.
#ifndef COX_LEARN_CALIBRATE_PARAMETER_FIT_H_
#define COX_LEARN_CALIBRATE_PARAMETER_FIT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "domain/level.h"
#include "model/model.h"
#include "model/schedule.h"

namespace cox::learn {

// What one timing is the price of: a schedule, or (where that is null) a sum of parameters that was
// measured by itself, as an overhead is.
struct Evidence {
  struct Share {
    int index = 0;  // into model.parameters()
    double coefficient = 0;
  };
  const model::Schedule* schedule = nullptr;
  std::vector<Share> shares;
};

// A parameter that is not fitted but has this value.
struct Setting {
  int index = 0;  // into model.parameters()
  double value = 0;
};

struct FittedParameter {
  int index = 0;  // into model.parameters()
  double value = 0;
  double stderr_ = 0;
  bool identified = false;  // false: no timing depends on it, value is meaningless
  // Of one that is not identified: the largest value with which the fit is as good, +inf if there
  // is none. A gap that always hides behind overheads is bounded so.
  double bound = 0;
  std::vector<int>
      tied_to;  // indices of those whose effects the timings cannot tell apart from its own
};

struct ParameterFit {
  std::vector<FittedParameter> parameters;  // those of the level, in the model's order
  double median_relative_error = 0;         // of |fitted - t| / min(fitted, t)
  std::vector<double> relative_errors;      // the same of each timing
  double loss = 0;  // mean of Huber's loss at a limit of 13 %: to compare fits by
};

// `evidence_of(i)` gives what times_s[i] (> 0) is the price of; the reference lives until the next
// call. Fitted is what is at the level and not only stated, and what stands in `also` (indices).
// The Gauss-Newton method with non-negative steps, from a few starts. Huber's weights hold
// off outliers. Parameters whose effects are proportional over all the timings share their common
// cost evenly. Standard errors are from the residuals and as large as the value where there are no
// more timings than parameters.
ParameterFit FitParameters(const model::Model& model, domain::Level level,
                           absl::Span<const double> times_s,
                           absl::FunctionRef<const Evidence&(size_t)> evidence_of,
                           absl::Span<const Setting> settings = {},
                           absl::Span<const int> also = {});

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_PARAMETER_FIT_H_
