// Which models price a question and which strategies it compares. Shared by the questions of this
// folder. Pure; any thread.
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

// A model with its values on a machine; pointers into the machine.
struct PricedBy {
  const model::Model* model;
  const model::ParameterValues* values;
};

// The price of one strategy, kernel or route under one model.
struct Prediction {
  std::string strategy;  // what was priced, such as "alltoall/bruck"
  std::string model;
  model::Cost cost;
  std::string caveat;  // why the model may be wrong here; "" if it is made for this
  // The cost has congestion of links whose load is a guess (LinkTime::is_even), so it must not be
  // compared with costs of listed messages.
  bool guesses_links = false;
};

// Why a strategy or a kernel does not apply, after its name: "alltoall/2-lev-sq needs a square
// number of ranks, not 6".
absl::Status Named(absl::string_view name, const absl::Status& why);

// The models of `model_id`. "": the model selected for the collective on this machine, or for the
// machine where `collective` is empty. "all": every model that the profile can price.
// FAILED_PRECONDITION where the profile is empty or lacks a parameter of the model (the message
// names it), NOT_FOUND for an unknown model.
absl::StatusOr<std::vector<PricedBy>> ModelsFor(const MachineView& machine,
                                                absl::string_view model_id,
                                                absl::string_view collective = "");

// The same for a question that takes one model: INVALID_ARGUMENT (field "model") for "all".
absl::StatusOr<PricedBy> ModelFor(const MachineView& machine, absl::string_view model_id,
                                  absl::string_view collective = "");

// Every strategy of the scenario's collective that applies, or only `strategy_text`: NOT_FOUND for
// an unknown name, INVALID_ARGUMENT for a strategy of another collective, FAILED_PRECONDITION with
// its name for one that does not apply. `not_applicable`, if given, gets "strategy: why" for the
// others.
absl::StatusOr<std::vector<strategy::Strategy>> StrategiesFor(
    const strategy::Scenario& scenario, absl::string_view strategy_text,
    std::vector<std::string>* not_applicable = nullptr);

// What a strategy without a window means on this machine: gather/windowed has the window that the
// cluster model's parameters give (Tam and Wang, Eqs. (5) to (7)); other strategies, and machines
// without these parameters, are unchanged.
strategy::Strategy Resolved(const MachineView& machine, const strategy::Scenario& scenario,
                            const strategy::Strategy& strategy);

// Prices a schedule under one model, with the model's caveat. `name` is that of the strategy,
// kernel or route.
Prediction Price(const PricedBy& priced_by, std::string name, const model::Schedule& schedule);

// Appends another reason why the model may be wrong here.
void AddCaveat(absl::string_view caveat, Prediction* prediction);

// The number that costs are compared by: seconds; units for a model that counts units and has no
// stated unit time.
inline double Amount(const model::Cost& cost) {
  const double total_s = cost.TotalSeconds();
  return total_s > 0 ? total_s : cost.units;
}

}  // namespace cox::advise

#endif  // COX_ADVISE_CANDIDATES_H_
