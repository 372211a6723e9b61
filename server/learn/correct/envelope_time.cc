#include "learn/correct/envelope_time.h"

#include <cmath>

#include "learn/structure.h"

namespace cox::learn {
Estimate EstimateOf(absl::string_view algorithm, const Corrections& corrections, const Place& place,
                    const Pricing& pricing, model::Schedule* schedule) {
  Structure structure;
  if (place.scenario != nullptr) {
    structure = Resolve(place.library, algorithm, *place.scenario, library::kUsualCalls);
    if (structure.row != nullptr && structure.effective != structure.row) return {};
  }
  return EstimateOf(algorithm, structure.strategy, corrections, place, pricing, schedule);
}

Estimate EstimateOf(absl::string_view algorithm, const strategy::Strategy* strategy,
                    const Corrections& corrections, const Place& place, const Pricing& pricing,
                    model::Schedule* schedule) {
  double price_s = 0;
  if (strategy != nullptr && pricing.model != nullptr) {
    price_s = StructuralTime(strategy, *place.scenario, *pricing.model, *pricing.values, schedule);
  }
  const Correction& correction = *corrections.Find(place.library, place.collective, algorithm);
  const Point& point = place.point;
  if (correction.base() == Base::kCommonTime) {
    if (!place.common.known) return {};
    Estimate estimate = correction.Predict(std::exp(place.common.log_time), point.nodes, point.ppn,
                                           point.ranks, point.block_bytes);
    estimate.sigma = std::hypot(estimate.sigma, place.common.sigma);
    return estimate;
  }
  Estimate estimate =
      correction.Predict(price_s, point.nodes, point.ppn, point.ranks, point.block_bytes);
  if (price_s > 0 && !correction.has_data()) {
    Widen(corrections.spread().At(*schedule, price_s), &estimate);
  }
  return estimate;
}

Estimate CommonTimeAt(const Corrections& corrections, absl::string_view library,
                      absl::string_view collective, const Point& point) {
  const Correction* common = corrections.CommonTime(library, collective);
  if (common == nullptr) return {};
  const double usual_s = corrections.usual_time().At(collective, point);
  return common->Predict(usual_s, point.nodes, point.ppn, point.ranks, point.block_bytes);
}

double EnvelopeTime(const Corrections& corrections, absl::string_view library,
                    absl::string_view collective,
                    absl::FunctionRef<Estimate(absl::string_view)> estimate_of) {
  double least_s = 0;
  for (const absl::string_view name : corrections.Algorithms(library, collective)) {
    if (name == kDefaultAlgorithm || name == kSelectionFile) continue;
    const Estimate estimate = estimate_of(name);
    if (!estimate.known) continue;
    const double time_s = std::exp(estimate.log_time);
    if (least_s == 0 || time_s < least_s) least_s = time_s;
  }
  return least_s;
}

}  // namespace cox::learn
