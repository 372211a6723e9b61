#include "learn/correct/envelope_time.h"

#include <algorithm>
#include <cmath>

#include "learn/structure.h"

namespace cox::learn {
namespace {

Estimate CommonTimeOf(const Corrections& corrections, const CollectiveCorrections& learned,
                      absl::string_view collective, AskedPoint* asked) {
  const Correction* common = learned.CommonTime();
  if (common == nullptr) return {};
  return common->Predict(corrections.usual_time().At(collective, asked->point()), asked);
}

}  // namespace

Place PlaceAt(const Corrections& corrections, absl::string_view library,
              absl::string_view collective, const strategy::Scenario* scenario, AskedPoint* asked) {
  const CollectiveCorrections& learned = corrections.Of(library, collective);
  return {&corrections, &learned, library,
          scenario,     asked,    CommonTimeOf(corrections, learned, collective, asked)};
}

Estimate CommonTimeAt(const Corrections& corrections, absl::string_view library,
                      absl::string_view collective, AskedPoint* asked) {
  return CommonTimeOf(corrections, corrections.Of(library, collective), collective, asked);
}

Estimate EstimateOf(absl::string_view algorithm, const Place& place, const Pricing& pricing,
                    model::Schedule* schedule) {
  Structure structure;
  if (place.scenario != nullptr) {
    structure = Resolve(place.library, algorithm, *place.scenario, library::kUsualCalls);
    if (structure.row != nullptr && structure.effective != structure.row) return {};
  }
  return EstimateOf(algorithm, structure.strategy, place, pricing, schedule);
}

Estimate EstimateOf(absl::string_view algorithm, const strategy::Strategy* strategy,
                    const Place& place, const Pricing& pricing, model::Schedule* schedule) {
  double price_s = 0;
  if (strategy != nullptr && pricing.model != nullptr) {
    price_s = StructuralTime(strategy, *place.scenario, *pricing.model, *pricing.values, schedule);
  }
  const Correction& correction = *place.learned->Find(algorithm);
  if (correction.base() == Base::kCommonTime) {
    if (!place.common.known) return {};
    Estimate estimate = correction.Predict(std::exp(place.common.log_time), place.asked);
    estimate.sigma = std::hypot(estimate.sigma, place.common.sigma);
    return estimate;
  }
  Estimate estimate = correction.Predict(price_s, place.asked);
  if (price_s > 0 && !correction.has_data()) {
    Widen(place.corrections->spread().At(*schedule, price_s), &estimate);
  }
  return estimate;
}

double EnvelopeTime(const CollectiveCorrections& learned,
                    absl::FunctionRef<Estimate(absl::string_view)> estimate_of) {
  // Times compare as their logarithms do.
  bool is_known = false;
  double least_log_time = HUGE_VAL;
  for (const absl::string_view name : learned.Algorithms()) {
    if (name == kDefaultAlgorithm || name == kSelectionFile) continue;
    const Estimate estimate = estimate_of(name);
    if (!estimate.known) continue;
    is_known = true;
    least_log_time = std::min(least_log_time, estimate.log_time);
  }
  return is_known ? std::exp(least_log_time) : 0;
}

}  // namespace cox::learn
