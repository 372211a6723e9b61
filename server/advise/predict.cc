#include "advise/predict.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "advise/placement/link_time.h"
#include "advise/placement/units.h"
#include "advise/recommend.h"
#include "domain/collective.h"
#include "learn/correct/interval.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox::advise {
namespace {

// From this factor on, the disagreement of models is worth a word.
constexpr double kMuch = 2;

// The selected model may fit all timings and still misprice messages that nobody timed. Models are
// compared by what they learned. `time_s`: the schedule's price without the links of given nodes.
void AddSpread(const MachineView& machine, const model::Model& priced_by,
               const model::Schedule& schedule, double time_s, Prediction* prediction) {
  if (&priced_by != machine.model || machine.is_what_if || !(time_s > 0)) return;
  const double factor =
      std::exp(learn::kIntervalSigmas * machine.corrections->spread().At(schedule, time_s));
  if (factor < kMuch) return;
  AddCaveat(absl::StrFormat("messages of this number and size were not timed, and models that fit "
                            "the timings differ by a factor of %.2g (--model all)",
                            factor),
            prediction);
}

}  // namespace

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
      predictions.push_back(Price(priced_by, strategy::FormatStrategy(resolved), schedule));
      Prediction& prediction = predictions.back();
      const double time_s = prediction.cost.TotalSeconds();
      if (nodes != nullptr) {
        prediction = PriceOnNodes(priced_by, resolved, here, schedule, *nodes);
      }
      AddSpread(machine, *priced_by.model, schedule, time_s, &prediction);
    }
  }
  return predictions;
}

}  // namespace cox::advise
