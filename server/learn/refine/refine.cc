#include "learn/refine/refine.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"
#include "learn/correct/default_check.h"
#include "learn/correct/model_choice.h"
#include "learn/fallback_parameters.h"
#include "learn/fitted_models.h"
#include "learn/median.h"
#include "learn/prepared_cells.h"
#include "learn/refine/refined_model.h"
#include "learn/structure.h"
#include "model/models/models.h"

namespace cox::learn {
namespace {

// A model that is not fitted: all its times are stated. They are in seconds only if the parameter
// `needed` is known.
struct StatedModel {
  const model::Model& (*model)();
  domain::Level level;
  absl::string_view needed;
};
constexpr StatedModel kStatedModels[] = {{model::C3, domain::Level::kNetwork, "unit_time"}};

std::vector<RefinedModel> RefinedModels(const domain::Profile& prior) {
  using StatedTimes = RefinedModel::StatedTimes;
  std::vector<RefinedModel> models;
  for (const model::Model* model : FittedModels()) {
    models.emplace_back(*model, prior, StatedTimes::kStay);
  }
  for (const StatedModel& stated : kStatedModels) {
    const model::Model& model = stated.model();
    const domain::Parameter* needed = prior.Find(model.id(), stated.level, stated.needed);
    if (needed == nullptr || !(needed->value > 0)) continue;
    models.emplace_back(model, prior, StatedTimes::kAreRefined);
  }
  return models;
}

}  // namespace

Refinement Refine(const domain::Profile& prior, absl::Span<const Cell> observations) {
  Refinement refinement;
  refinement.profile = prior;
  std::vector<PreparedCell> cells = PrepareCells(observations, prior.shape);
  DropContradictedDefaults(&cells);
  auto schedule = std::make_unique<model::Schedule>();

  std::vector<RefinedModel> states = RefinedModels(prior);
  for (const PreparedCell& cell : cells) {
    if (cell.strategy == nullptr) continue;
    strategy::Build(*cell.strategy, *cell.scenario, schedule.get());
    bool used = false;
    for (RefinedModel& state : states) {
      used |= state.Observe(*schedule, cell.cell->mean_log_time, cell.cell->weight,
                            cell.cell->variance_log_time);
    }
    if (used) ++refinement.used_count;
  }
  refinement.skipped_count = static_cast<int64_t>(observations.size()) - refinement.used_count;
  if (refinement.used_count == 0) return refinement;

  for (RefinedModel& state : states) {
    state.KeepMonotone();
    state.Export(refinement.used_count, &refinement.profile);
  }
  std::vector<std::string> warnings;  // not needed: each parameter's source says the same
  CopyMissingLevels(&refinement.profile, &warnings);
  AssumeStatedSizes(&refinement.profile);

  // Under the model selected after the step.
  const std::vector<ModelError> ranked = RankModels(refinement.profile, cells);
  if (ranked.empty()) return refinement;
  const auto before = model::ValuesFor(*ranked.front().model, prior);
  std::vector<double> changes;
  for (const PreparedCell& cell : cells) {
    if (cell.strategy == nullptr) continue;
    const double after_s = StructuralTime(cell.strategy, *cell.scenario, *ranked.front().model,
                                          ranked.front().values, schedule.get());
    const double before_s = before.ok()
                                ? StructuralTime(cell.strategy, *cell.scenario,
                                                 *ranked.front().model, *before, schedule.get())
                                : 0;
    changes.push_back(before_s > 0 ? std::abs(after_s / before_s - 1) : 1);
  }
  refinement.median_change = MedianOf(std::move(changes));
  return refinement;
}

}  // namespace cox::learn
