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

size_t CellReference::count() const {
  size_t count = 0;
  for (const Part& part : parts_) count += part.counts() ? part.logs.size() : 0;
  return count;
}

bool CellReference::IsKnown() const { return is_complete_ || count() >= kLeastReference; }

bool CellReference::IsOnlyOf(uint64_t reporter) const {
  return std::all_of(parts_.begin(), parts_.end(), [reporter](const Part& part) {
    return part.reporter == reporter || !part.counts();
  });
}

int CellReference::SignOf(double log_time, uint64_t reporter) const {
  if (!IsKnown()) return 0;
  const double delta = log_time - median_;
  const double limit =
      is_complete_ || IsOnlyOf(reporter) ? limit_ : std::max(limit_, kLeastBetweenReporters);
  return std::abs(delta) <= limit ? 0 : delta > 0 ? 1 : -1;
}

CellReference::Part& CellReference::PartOf(uint64_t reporter) {
  const auto known = std::find_if(parts_.begin(), parts_.end(), [reporter](const Part& part) {
    return part.reporter == reporter;
  });
  if (known != parts_.end()) return *known;
  // Fewer than kMostReference parts count, or the reference would be complete.
  if (parts_.size() >= kMostReference) {
    std::erase_if(parts_, [](const Part& part) { return !part.counts(); });
  }
  return parts_.emplace_back(Part{.reporter = reporter, .logs = {}});
}

void CellReference::Learn(double log_time, uint64_t reporter) {
  if (is_complete_) return;
  const bool deviates = !IsOnlyOf(reporter) && SignOf(log_time, reporter) != 0;
  Part& part = PartOf(reporter);
  if (part.logs.size() + part.deviating >= kMostReference) return;
  if (deviates) {
    ++part.deviating;
  } else {
    part.logs.push_back(log_time);
  }
  Summarise();
}

void CellReference::Seed(double log_time, uint64_t reporter) {
  if (count() + 1 < kLeastReference) PartOf(reporter).logs.push_back(log_time);
}

void CellReference::Summarise() {
  std::vector<double> medians;  // each as often as its part counts
  std::vector<double> distances;
  std::vector<double> apart;  // of the reporters
  for (const Part& part : parts_) {
    if (!part.counts()) continue;
    std::vector<double> logs = part.logs;
    const double median = MiddleOf(logs);
    medians.insert(medians.end(), std::min(logs.size(), kMostOfReporter), median);
    distances.insert(distances.end(), logs.begin(), logs.end());
    if (logs.size() >= kFewOfPart) apart.push_back(median);
  }
  if (medians.empty()) return;
  median_ = MiddleOf(medians);
  for (double& value : distances) value = std::abs(value - median_);
  limit_ = std::max({kLeastDeviation, kLeastReferenceSigma, 1.4826 * MiddleOf(distances)});
  if (apart.size() >= kFewParts) {
    for (double& value : apart) value = std::abs(value - median_);
    const auto quartile = apart.begin() + static_cast<std::ptrdiff_t>(3 * apart.size() / 4);
    std::nth_element(apart.begin(), quartile, apart.end());
    limit_ = std::max(limit_, kFartherThanReporters * *quartile);
  }
  if (medians.size() < kMostReference) return;
  is_complete_ = true;
  std::vector<Part>().swap(parts_);
}

}  // namespace cox::learn
