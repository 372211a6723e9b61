#include "learn/correct/model_errors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "domain/profile.h"
#include "learn/fallback_parameters.h"

namespace cox::learn {
namespace {

// Enough cells for a median; more would only cost time.
constexpr size_t kMaxCells = 2000;

double ErrorOfPrice(double price_s, double log_time) {
  if (!(price_s > 0) || !std::isfinite(price_s)) return HUGE_VAL;
  return std::expm1(std::abs(std::log(price_s) - log_time));
}

}  // namespace

StructureSize StructureSizeOf(const model::Schedule& schedule) {
  double messages = 1;
  double bytes = 1;
  for (const model::Phase& phase : schedule) {
    const model::RankTraffic& any = phase.traffic.any;
    messages = std::max({messages, any.sends_count, any.receives_count});
    bytes = std::max(bytes, any.max_message_bytes);
  }
  return {std::log2(messages), std::log2(bytes)};
}

ModelErrors MeasureErrors(const domain::Profile& profile, absl::Span<const PreparedCell> cells) {
  ModelErrors measured;
  for (const model::Model* model : model::Models()) {
    auto values = model::ValuesFor(*model, profile);
    if (!values.ok()) continue;
    const bool assumes_a_level = std::any_of(profile.parameters.begin(), profile.parameters.end(),
                                             [model](const domain::Parameter& one) {
                                               return one.model == model->id() && IsCopied(one);
                                             });
    measured.models.push_back({model, *std::move(values), assumes_a_level});
  }
  const size_t stride = cells.size() / kMaxCells + 1;
  auto schedule = std::make_unique<model::Schedule>();
  for (size_t i = 0; i < cells.size(); i += stride) {
    const PreparedCell& cell = cells[i];
    if (cell.strategy == nullptr) continue;
    strategy::Build(*cell.strategy, *cell.scenario, schedule.get());
    measured.cells.push_back(i);
    measured.sizes.push_back(StructureSizeOf(*schedule));
    for (const PricedModel& priced : measured.models) {
      measured.errors.push_back(ErrorOfPrice(
          priced.model->Price(priced.values, *schedule).TotalSeconds(), cell.cell->mean_log_time));
    }
  }
  return measured;
}

}  // namespace cox::learn
