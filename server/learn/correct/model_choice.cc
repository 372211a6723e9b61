#include "learn/correct/model_choice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "domain/profile.h"
#include "learn/fallback_parameters.h"
#include "learn/fitted_models.h"
#include "learn/median.h"

namespace cox::learn {
namespace {

// The place in FittedModels(); other models come last. Where one model's profile says how nodes and
// network differ, models that assume them alike come last.
class Preference {
 public:
  explicit Preference(absl::Span<const PricedModel> models)
      : tells_levels_apart_(
            std::any_of(models.begin(), models.end(), [](const PricedModel& priced) {
              return !priced.assumes_a_level && HasNodeLevel(*priced.model);
            })) {}

  std::ptrdiff_t Of(const PricedModel& priced) const {
    const auto fitted = FittedModels();
    const std::ptrdiff_t place =
        std::find(fitted.begin(), fitted.end(), priced.model) - fitted.begin();
    const bool comes_last = tells_levels_apart_ && priced.assumes_a_level;
    return comes_last ? place + std::ssize(fitted) + 1 : place;
  }

 private:
  bool tells_levels_apart_;
};

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
  std::vector<size_t> order(measured.models.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const Preference preference(measured.models);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return preference.Of(measured.models[a]) < preference.Of(measured.models[b]);
  });
  std::vector<ModelError> ranked;
  for (const size_t m : order) {
    std::vector<double> errors;
    errors.reserve(measured.cells.size());
    for (size_t i = 0; i < measured.cells.size(); ++i) errors.push_back(measured.At(i, m));
    ranked.push_back({measured.models[m].model, measured.models[m].values,
                      MedianOf(std::move(errors)), static_cast<int64_t>(measured.cells.size())});
  }
  if (ranked.empty()) return ranked;
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
