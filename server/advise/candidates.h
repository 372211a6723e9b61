// What a question is about: which models price it, which strategies are compared. Shared by the
// questions of this folder. Pure; any thread.
#ifndef COX_ADVISE_CANDIDATES_H_
#define COX_ADVISE_CANDIDATES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/machine_view.h"
#include "model/cost.h"
#include "model/model.h"
#include "strategy/catalogue.h"
#include "strategy/scenario.h"

namespace cox::advise {

// A model with a machine's values for it; into the machine.
struct PricedBy {
  const model::Model* model;
  const model::ParameterValues* values;
};

// One thing under one model.
struct Prediction {
  std::string strategy;  // "alltoall/bruck"; what was priced
  std::string model;
  model::Cost cost;
  std::string caveat;  // why to take it with care; "" where the model is at home
};

// Under model_id: "" the model that speaks for the collective on this machine (for the machine
// where that is empty), "all" every model that the profile can price. FAILED_PRECONDITION where the
// profile is empty or cannot price the model asked for (it says which parameter is missing),
// NOT_FOUND for an unknown model.
absl::StatusOr<std::vector<PricedBy>> ModelsFor(const MachineView& machine,
                                                absl::string_view model_id,
                                                absl::string_view collective = "");

// The same for a question that takes one model: INVALID_ARGUMENT (field "model") for "all".
absl::StatusOr<PricedBy> ModelFor(const MachineView& machine, absl::string_view model_id,
                                  absl::string_view collective = "");

// Every strategy of the scenario's collective that applies, or only `strategy_text` (NOT_FOUND if
// there is none of that name, INVALID_ARGUMENT if it is of another collective, FAILED_PRECONDITION
// if it does not apply). Where `not_applicable` is given, it gets "strategy: why" for the others.
absl::StatusOr<std::vector<strategy::Strategy>> StrategiesFor(
    const strategy::Scenario& scenario, absl::string_view strategy_text,
    std::vector<std::string>* not_applicable = nullptr);

Prediction Price(const PricedBy& priced_by, std::string name, const model::Schedule& schedule);

// What costs are compared by: seconds, or, of a model that counts units where no unit time is
// stated, units.
inline double Amount(const model::Cost& cost) {
  const double total_s = cost.TotalSeconds();
  return total_s > 0 ? total_s : cost.units;
}

}  // namespace cox::advise

#endif  // COX_ADVISE_CANDIDATES_H_
