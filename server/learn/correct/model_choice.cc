#include "learn/correct/model_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "domain/profile.h"
#include "learn/fitted_models.h"
#include "learn/median.h"

namespace cox::learn {
namespace {

// The place in FittedModels(); other models come last.
std::ptrdiff_t Preference(const model::Model* model) {
  const auto fitted = FittedModels();
  return std::find(fitted.begin(), fitted.end(), model) - fitted.begin();
}

// The selected one of `models`, which are in the order of preference. With few cells one of many
// models may be the best by chance, so it must be the more clearly so.
std::vector<ModelError>::iterator Selected(std::vector<ModelError>* models) {
  auto selected = models->begin();
  for (auto other = models->begin(); other != models->end(); ++other) {
    const double clear = 1 + 1 / std::sqrt(std::max<double>(1, other->cell_count));
    if (other->median_error * clear < selected->median_error) selected = other;
  }
  return selected;
}

}  // namespace

std::vector<ModelError> RankModels(const ModelErrors& measured) {
  std::vector<ModelError> ranked;
  for (size_t m = 0; m < measured.models.size(); ++m) {
    std::vector<double> errors;
    errors.reserve(measured.cells.size());
    for (size_t i = 0; i < measured.cells.size(); ++i) errors.push_back(measured.At(i, m));
    ranked.push_back({measured.models[m].model, measured.models[m].values,
                      MedianOf(std::move(errors)), static_cast<int64_t>(measured.cells.size())});
  }
  if (ranked.empty()) return ranked;
  std::stable_sort(ranked.begin(), ranked.end(), [](const ModelError& a, const ModelError& b) {
    return Preference(a.model) < Preference(b.model);
  });
  const auto selected = Selected(&ranked);
  std::rotate(ranked.begin(), selected, selected + 1);
  std::stable_sort(ranked.begin() + 1, ranked.end(), [](const ModelError& a, const ModelError& b) {
    return a.median_error < b.median_error;
  });
  return ranked;
}

std::vector<ModelError> RankModels(const domain::Profile& profile,
                                   absl::Span<const PreparedCell> cells) {
  return RankModels(MeasureErrors(profile, cells));
}

}  // namespace cox::learn
