#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/recommend.h"
#include "model/errors.h"
#include "model/model.h"
#include "model/profile.h"
#include "strategy/catalogue.h"

namespace cox::advise {
namespace {

struct PricedBy {
  const model::Model* model;
  absl::Span<const double> values;
};

absl::StatusOr<std::vector<PricedBy>> ModelsFor(const MachineView& machine,
                                                absl::string_view model_id) {
  if (machine.profile.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "machine ", machine.name, " has no profile: calibrate it or report observations first"));
  }
  const absl::Span<const model::Model* const> models = model::Models();
  std::vector<PricedBy> chosen;
  if (model_id.empty()) {
    if (machine.model != nullptr) chosen.push_back({machine.model, machine.model_values});
  } else if (model_id == "all") {
    for (size_t i = 0; i < models.size(); ++i) {
      if (!machine.values[i].empty()) chosen.push_back({models[i], machine.values[i]});
    }
  } else {
    const auto model = model::FindModel(model_id);
    if (!model.ok()) return model.status();
    // Says which parameter is missing.
    if (auto values = model::ValuesFor(**model, machine.profile); !values.ok()) {
      return values.status();
    }
    for (size_t i = 0; i < models.size(); ++i) {
      if (models[i] == *model) chosen.push_back({models[i], machine.values[i]});
    }
  }
  if (chosen.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the profile of machine ", machine.name,
                     " lacks required parameters of every model; calibrate it again, or add them. ",
                     model::ValuesFor(*models.front(), machine.profile).status().message()));
  }
  return chosen;
}

absl::StatusOr<std::vector<strategy::Strategy>> StrategiesFor(const strategy::Scenario& scenario,
                                                              absl::string_view strategy_text) {
  std::vector<strategy::Strategy> strategies;
  if (strategy_text.empty()) {
    for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
      const strategy::Strategy candidate{&algorithm, {}};
      if (algorithm.collective == scenario.collective &&
          algorithm.applies(scenario, candidate.knobs).ok()) {
        strategies.push_back(candidate);
      }
    }
    return strategies;
  }
  auto parsed = strategy::ParseStrategy(strategy_text);
  if (!parsed.ok()) return parsed.status();
  if (parsed->algorithm->collective != scenario.collective) {
    return model::InvalidField("strategy",
                               absl::StrCat("\"", strategy_text, "\" is not a strategy of ",
                                            strategy::CollectiveName(scenario.collective)));
  }
  if (absl::Status applies = parsed->algorithm->applies(scenario, parsed->knobs); !applies.ok()) {
    return applies;
  }
  strategies.push_back(*std::move(parsed));
  return strategies;
}

}  // namespace

absl::StatusOr<std::vector<Prediction>> Predict(const MachineView& machine,
                                                const strategy::Scenario& scenario,
                                                absl::string_view strategy_text,
                                                absl::string_view model_id) {
  if (absl::Status status = strategy::Validate(scenario); !status.ok()) return status;
  const auto strategies = StrategiesFor(scenario, strategy_text);
  if (!strategies.ok()) return strategies.status();
  const auto models = ModelsFor(machine, model_id);
  if (!models.ok()) return models.status();

  std::vector<Prediction> predictions;
  thread_local model::Schedule schedule;
  for (const strategy::Strategy& strategy : *strategies) {
    strategy::Build(strategy, scenario, &schedule);
    for (const PricedBy& priced_by : *models) {
      predictions.push_back({strategy::FormatStrategy(strategy), std::string(priced_by.model->id()),
                             priced_by.model->Price(priced_by.values, schedule)});
    }
  }
  return predictions;
}

}  // namespace cox::advise
