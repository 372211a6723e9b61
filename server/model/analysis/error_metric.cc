#include "model/analysis/error_metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::model {

absl::StatusOr<double> ErrorOf(double measured, double predicted) {
  const auto is_amount = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_amount(measured)) {
    return domain::InvalidField("measured", absl::StrCat(measured, " is not a finite number >= 0"));
  }
  if (!is_amount(predicted)) {
    return domain::InvalidField("predicted",
                                absl::StrCat(predicted, " is not a finite number >= 0"));
  }
  if (measured == predicted) return 0;
  const double least = std::min(measured, predicted);
  if (least == 0) return std::numeric_limits<double>::infinity();
  return std::abs(measured - predicted) / least;
}

}  // namespace cox::model
