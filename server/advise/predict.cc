#include "advise/predict.h"

#include "advise/placement/link_time.h"
#include "advise/placement/units.h"
#include "domain/collective.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::advise {

absl::StatusOr<std::vector<Prediction>> Predict(const MachineView& machine,
                                                const strategy::Scenario& scenario,
                                                absl::string_view strategy_text,
                                                absl::string_view model_id,
                                                const NodesInUse* nodes) {
  if (absl::Status status = strategy::Validate(scenario); !status.ok()) return status;
  auto strategies = StrategiesFor(scenario, strategy_text);
  if (!strategies.ok()) return strategies.status();
  if (nodes != nullptr && strategy_text.empty()) AddUnits(*nodes, scenario, &*strategies);
  const auto models = ModelsFor(machine, model_id, domain::CollectiveName(scenario.collective));
  if (!models.ok()) return models.status();
  strategy::Scenario here = scenario;
  here.shape = &machine.profile.shape;

  std::vector<Prediction> predictions;
  thread_local model::Schedule schedule;
  for (const strategy::Strategy& strategy : *strategies) {
    const strategy::Strategy resolved = Resolved(machine, here, strategy);
    strategy::Build(resolved, here, &schedule);
    for (const PricedBy& priced_by : *models) {
      predictions.push_back(nodes == nullptr
                                ? Price(priced_by, strategy::FormatStrategy(resolved), schedule)
                                : PriceOnNodes(priced_by, resolved, here, schedule, *nodes));
    }
  }
  return predictions;
}

}  // namespace cox::advise
