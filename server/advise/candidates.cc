#include "advise/candidates.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "advise/gather_window.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "model/profile.h"
#include "strategy/catalogue.h"

namespace cox::advise {

absl::Status Named(absl::string_view name, const absl::Status& why) {
  return absl::Status(why.code(), absl::StrCat(name, " ", why.message()));
}

absl::StatusOr<std::vector<PricedBy>> ModelsFor(const MachineView& machine,
                                                absl::string_view model_id,
                                                absl::string_view collective) {
  if (machine.profile.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "machine ", machine.name, " has no profile: calibrate it or report observations first"));
  }
  const absl::Span<const model::Model* const> models = model::Models();
  std::vector<PricedBy> chosen;
  if (model_id.empty()) {
    const model::Model* selected = collective.empty() || machine.accuracy == nullptr
                                       ? machine.model
                                       : machine.accuracy->SelectedFor(collective);
    for (size_t i = 0; i < models.size(); ++i) {
      if (models[i] == selected && !machine.values[i].empty()) {
        chosen.push_back({models[i], &machine.values[i]});
      }
    }
    if (chosen.empty() && machine.model != nullptr) {
      chosen.push_back({machine.model, machine.model_values});
    }
  } else if (model_id == "all") {
    for (size_t i = 0; i < models.size(); ++i) {
      if (!machine.values[i].empty()) chosen.push_back({models[i], &machine.values[i]});
    }
  } else {
    const auto model = model::FindModel(model_id);
    if (!model.ok()) return model.status();
    // Its message names the missing parameter.
    if (auto values = model::ValuesFor(**model, machine.profile); !values.ok()) {
      return values.status();
    }
    for (size_t i = 0; i < models.size(); ++i) {
      if (models[i] == *model) chosen.push_back({models[i], &machine.values[i]});
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

absl::StatusOr<PricedBy> ModelFor(const MachineView& machine, absl::string_view model_id,
                                  absl::string_view collective) {
  if (model_id == "all") {
    return domain::InvalidField("model", "one model is needed here, not all");
  }
  const auto models = ModelsFor(machine, model_id, collective);
  if (!models.ok()) return models.status();
  return models->front();
}

absl::StatusOr<std::vector<strategy::Strategy>> StrategiesFor(
    const strategy::Scenario& scenario, absl::string_view strategy_text,
    std::vector<std::string>* not_applicable) {
  std::vector<strategy::Strategy> strategies;
  if (strategy_text.empty()) {
    for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
      if (algorithm.collective != scenario.collective) continue;
      const strategy::Strategy candidate{&algorithm, {}};
      const absl::Status applies = algorithm.applies(scenario, candidate.knobs);
      if (applies.ok()) {
        strategies.push_back(candidate);
      } else if (not_applicable != nullptr) {
        not_applicable->push_back(
            absl::StrCat(strategy::FormatStrategy(candidate), ": ", applies.message()));
      }
    }
    return strategies;
  }
  auto parsed = strategy::ParseStrategy(strategy_text);
  if (!parsed.ok()) return parsed.status();
  if (parsed->algorithm->collective != scenario.collective) {
    return domain::InvalidField("strategy",
                                absl::StrCat("\"", strategy_text, "\" is not a strategy of ",
                                             domain::CollectiveName(scenario.collective)));
  }
  if (absl::Status applies = parsed->algorithm->applies(scenario, parsed->knobs); !applies.ok()) {
    return Named(strategy::FormatStrategy(*parsed), applies);
  }
  strategies.push_back(*std::move(parsed));
  return strategies;
}

strategy::Strategy Resolved(const MachineView& machine, const strategy::Scenario& scenario,
                            const strategy::Strategy& strategy) {
  static const strategy::Algorithm* const kWindowed =
      strategy::FindAlgorithm(domain::Collective::kGather, "windowed");
  if (strategy.algorithm != kWindowed || strategy.knobs.window != 0) return strategy;
  strategy::Strategy resolved = strategy;
  resolved.knobs.window = GatherWindow(machine, scenario);
  return resolved;
}

Prediction Price(const PricedBy& priced_by, std::string name, const model::Schedule& schedule) {
  return {std::move(name), std::string(priced_by.model->id()),
          priced_by.model->Price(*priced_by.values, schedule),
          priced_by.model->Caveat(*priced_by.values, schedule)};
}

void AddCaveat(absl::string_view caveat, Prediction* prediction) {
  absl::StrAppend(&prediction->caveat, prediction->caveat.empty() ? "" : "; ", caveat);
}

}  // namespace cox::advise
