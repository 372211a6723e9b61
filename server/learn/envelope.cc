#include "learn/envelope.h"

#include <cmath>

#include "learn/structure.h"

namespace cox::learn {

double EnvelopeTime(const Corrections& corrections, absl::string_view library,
                    absl::string_view collective, const strategy::Scenario* scenario,
                    const Point& point, const Pricing& pricing, model::Schedule* schedule) {
  double least_s = 0;
  for (const absl::string_view name : corrections.Algorithms(library, collective)) {
    if (name == kDefaultAlgorithm || name == kSelectionFile) continue;
    double price_s = 0;
    if (scenario != nullptr) {
      const Structure structure = Resolve(library, name, *scenario, library::kUsualCalls);
      // Another name for what is looked at under its own, or what would fail.
      if (structure.row != nullptr && structure.effective != structure.row) continue;
      if (pricing.model != nullptr) {
        price_s = StructuralTime(structure.strategy, *scenario, *pricing.model, *pricing.values,
                                 schedule);
      }
    }
    const Estimate estimate =
        corrections.Find(library, collective, name)
            ->Predict(price_s, point.nodes, point.ppn, point.ranks, point.block_bytes);
    if (!estimate.known) continue;
    const double time_s = std::exp(estimate.log_time);
    if (least_s == 0 || time_s < least_s) least_s = time_s;
  }
  return least_s;
}

}  // namespace cox::learn
