#include "learn/drift_reference.h"

#include <algorithm>
#include <cmath>

#include "learn/drift_limits.h"

namespace cox::learn {

double MiddleOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

int DriftReference::SignOf(double log_time, size_t least) const {
  if (!Knows(least)) return 0;
  const double delta = log_time - median_;
  const double limit = std::max(kLeastDeviation, sigma_);
  return std::abs(delta) <= limit ? 0 : delta > 0 ? 1 : -1;
}

void DriftReference::Learn(double log_time) {
  if (is_frozen_) return;
  logs_.push_back(log_time);
  std::vector<double> values = logs_;
  median_ = MiddleOf(values);
  for (double& value : values) value = std::abs(value - median_);
  sigma_ = std::max(kLeastReferenceSigma, 1.4826 * MiddleOf(values));
  if (logs_.size() < kMostReference) return;
  is_frozen_ = true;
  std::vector<double>().swap(logs_);
}

}  // namespace cox::learn
