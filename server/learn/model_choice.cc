#include "learn/model_choice.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "learn/fitted_models.h"

namespace cox::learn {
namespace {

// Enough cells for a median; more would only cost time.
constexpr size_t kMaxCellsPerModel = 2000;

// Those that are fitted first, in their order.
std::ptrdiff_t RankWithoutData(const model::Model* model) {
  const auto fitted = FittedModels();
  return std::find(fitted.begin(), fitted.end(), model) - fitted.begin();
}

}  // namespace

std::vector<ModelError> RankModels(const model::Profile& profile,
                                   absl::Span<const PreparedCell> cells) {
  std::vector<ModelError> ranked;
  auto schedule = std::make_unique<model::Schedule>();
  const size_t stride = cells.size() / kMaxCellsPerModel + 1;
  for (const model::Model* model : model::Models()) {
    auto values = model::ValuesFor(*model, profile);
    if (!values.ok()) continue;
    ModelError entry;
    entry.model = model;
    entry.values = *std::move(values);
    std::vector<double> errors;
    for (size_t i = 0; i < cells.size(); i += stride) {
      const PreparedCell& cell = cells[i];
      if (cell.strategy == nullptr) continue;
      const double price_s =
          StructuralTime(cell.strategy, *cell.scenario, *model, entry.values, schedule.get());
      // A price of nothing for something that took time is as wrong as can be.
      errors.push_back(price_s > 0
                           ? std::expm1(std::abs(std::log(price_s) - cell.cell->mean_log_time))
                           : HUGE_VAL);
    }
    entry.cell_count = static_cast<int64_t>(errors.size());
    if (!errors.empty()) {
      const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
      std::nth_element(errors.begin(), middle, errors.end());
      entry.median_error = *middle;
    }
    ranked.push_back(std::move(entry));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const ModelError& a, const ModelError& b) {
    if (a.median_error != b.median_error) return a.median_error < b.median_error;
    return RankWithoutData(a.model) < RankWithoutData(b.model);
  });
  return ranked;
}

}  // namespace cox::learn
