#include "service/answers/question.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "advise/what_if.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/parse_collective.h"
#include "service/answers/find_machine.h"
#include "service/convert/placement.h"

namespace cox::service {

absl::StatusOr<std::shared_ptr<const advise::MachineView>> MachineToAsk(
    std::shared_ptr<const daemon::Snapshot> snapshot, absl::string_view name,
    const google::protobuf::RepeatedPtrField<v1::WhatIf>& what_if) {
  const absl::StatusOr<const advise::MachineView*> machine =
      FindMachine(*snapshot, name, "machine");
  if (!machine.ok()) return machine.status();
  std::vector<advise::Change> changes;
  for (int i = 0; i < what_if.size(); ++i) {
    const v1::WhatIf& change = what_if[i];
    if (change.change_case() == v1::WhatIf::CHANGE_NOT_SET) {
      return domain::InvalidField(absl::StrCat("what_if[", i, "]"), "needs a value or a factor");
    }
    const bool is_factor = change.change_case() == v1::WhatIf::kFactor;
    changes.push_back({change.parameter(),
                       is_factor ? advise::Change::Kind::kFactor : advise::Change::Kind::kValue,
                       is_factor ? change.factor() : change.value()});
  }
  return advise::WithChanges(
      std::shared_ptr<const advise::MachineView>(std::move(snapshot), *machine), changes);
}

absl::StatusOr<strategy::Scenario> ToScenario(const advise::MachineView& machine,
                                              const v1::PredictRequest& request) {
  const absl::StatusOr<domain::Collective> collective =
      domain::ParseCollective(request.collective());
  if (!collective.ok()) return collective.status();
  const strategy::Scenario scenario{
      .collective = *collective,
      .ranks = request.ranks(),
      .ppn = request.ppn() == 0 ? machine.cores_per_node : request.ppn(),
      .block_bytes = request.block_bytes(),
      .type_bytes = request.type_bytes() == 0 ? 4 : request.type_bytes(),
      .root = request.root(),
      .placement = ToPlacement(request.placement())};
  if (absl::Status valid = strategy::Validate(scenario); !valid.ok()) return valid;
  return scenario;
}

absl::Status InField(const absl::Status& status, absl::string_view prefix) {
  return domain::FieldOf(status).empty() ? status : domain::WithFieldPrefix(status, prefix);
}

void FromPrediction(const advise::Prediction& prediction, v1::Prediction* message) {
  message->set_strategy(prediction.strategy);
  message->set_model(prediction.model);
  message->set_time_s(prediction.cost.TotalSeconds());
  message->set_cpu_time_s(prediction.cost.cpu_s);
  message->set_units(prediction.cost.units);
  message->set_caveat(prediction.caveat);
  for (size_t term = 0; term < model::kTermCount; ++term) {
    if (prediction.cost.terms_s[term] == 0) continue;
    v1::CostTerm* cost_term = message->add_terms();
    const absl::string_view name = model::TermName(static_cast<model::Term>(term));
    cost_term->set_name(name.data(), name.size());
    cost_term->set_time_s(prediction.cost.terms_s[term]);
  }
}

}  // namespace cox::service
