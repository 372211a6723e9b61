// Fits the parameters of any model at one level to timings of known traffic, by its price and its
// coefficients alone. Robust, in relative error, every parameter >= 0. Stateless, any thread.
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

// What one timing is the price of: a schedule or, where that is null, a sum of parameters, such as
// an overhead.
struct Evidence {
  struct Share {
    int index = 0;  // into model.parameters()
    double coefficient = 0;
  };
  const model::Schedule* schedule = nullptr;
  std::vector<Share> shares;
};

// A parameter with a given value, which is not fitted.
struct Setting {
  int index = 0;  // into model.parameters()
  double value = 0;
};

struct FittedParameter {
  int index = 0;  // into model.parameters()
  double value = 0;
  double stderr_ = 0;
  bool identified = false;  // false: no timing depends on it, value is meaningless
  // For a parameter that is not identified: the largest value with which the fit is as good; +inf:
  // any. An example is a gap that overheads always hide.
  double bound = 0;
  // Indices of the parameters whose effects the timings cannot tell from this one's.
  std::vector<int> tied_to;
};

struct ParameterFit {
  std::vector<FittedParameter> parameters;  // in the model's order
  double median_relative_error = 0;         // of relative_errors
  std::vector<double> relative_errors;      // |fitted - t| / min(fitted, t) of each timing
  double loss = 0;  // mean of Huber's loss at a limit of 13 %: to compare fits by
};

// Fits the level's parameters, except the stated ones, and those in `also` (indices).
// `evidence_of(i)` tells what times_s[i] (> 0) is the price of; the reference lives until the next
// call. Uses the Gauss-Newton method with non-negative steps from a few starts, and Huber's weights
// against outliers. Parameters whose effects are proportional over all timings share their common
// cost evenly. Standard errors come from the residuals; without more timings than parameters they
// are as large as the value. O(timings) per step, a bounded number of steps.
ParameterFit FitParameters(const model::Model& model, domain::Level level,
                           absl::Span<const double> times_s,
                           absl::FunctionRef<const Evidence&(size_t)> evidence_of,
                           absl::Span<const Setting> settings = {},
                           absl::Span<const int> also = {});

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_PARAMETER_FIT_H_
