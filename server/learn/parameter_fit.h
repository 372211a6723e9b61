// Fits the parameters of one model at one level to timings of known traffic, whatever the model:
// only its price and its coefficients are used. Robust, in relative error, every parameter >= 0.
// Not for parameters of several levels at once. Stateless, any thread.
#ifndef COX_LEARN_PARAMETER_FIT_H_
#define COX_LEARN_PARAMETER_FIT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "model/model.h"
#include "model/schedule.h"

namespace cox::learn {

struct FittedParameter {
  int index = 0;  // into model.parameters()
  double value = 0;
  double stderr_ = 0;
  bool identified = false;  // false: no timing depends on it, value is meaningless
  std::vector<int>
      tied_to;  // indices of those whose effects the timings cannot tell apart from its own
};

struct ParameterFit {
  std::vector<FittedParameter> parameters;  // those of the level, in the model's order
  double median_relative_error = 0;
};

// `schedule_of(i)` gives the traffic behind times_s[i] (> 0); the reference lives until the next
// call. The Gauss-Newton method with non-negative steps, from a few starts. Huber's weights hold
// off outliers. Parameters whose effects are proportional over all the timings share their common
// cost evenly. Standard errors are from the residuals and as large as the value where there are no
// more timings than parameters.
ParameterFit FitParameters(const model::Model& model, model::Level level,
                           absl::Span<const double> times_s,
                           absl::FunctionRef<const model::Schedule&(size_t)> schedule_of);

}  // namespace cox::learn

#endif  // COX_LEARN_PARAMETER_FIT_H_
