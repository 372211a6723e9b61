// Shared by the answers to questions: applies changes of parameters, and converts scenarios and
// predictions. Any thread.
#ifndef COX_SERVICE_ANSWERS_QUESTION_H_
#define COX_SERVICE_ANSWERS_QUESTION_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "strategy/scenario.h"

namespace cox::service {

// The machine that the request's field "machine" names, with the changes that it asks for. Fails as
// FindMachine() and advise::WithChanges() do; INVALID_ARGUMENT (field "what_if[i]") for a change
// that is neither a value nor a factor. It keeps its snapshot alive.
absl::StatusOr<std::shared_ptr<const advise::MachineView>> MachineToAsk(
    std::shared_ptr<const daemon::Snapshot> snapshot, absl::string_view name,
    const google::protobuf::RepeatedPtrField<v1::WhatIf>& what_if);

// The scenario of a request, valid. NOT_FOUND for an unknown collective.
absl::StatusOr<strategy::Scenario> ToScenario(const advise::MachineView& machine,
                                              const v1::PredictRequest& request);

// `status` with `prefix` before its field, if it has one.
absl::Status InField(const absl::Status& status, absl::string_view prefix);

// What the answer rests on that nobody measured, into a response's field.
template <typename Response>
void AddCaveats(const std::vector<std::string>& caveats, Response* response) {
  for (const std::string& caveat : caveats) response->add_caveats(caveat);
}

void FromPrediction(const advise::Prediction& prediction, v1::Prediction* message);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_QUESTION_H_
