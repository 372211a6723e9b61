#include "service/answers/suggest_answer.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/measure/suggest.h"
#include "advise/recommend.h"
#include "domain/errors.h"
#include "library/libraries.h"
#include "service/answers/find_machine.h"
#include "service/convert/checks.h"
#include "service/limits.h"

namespace cox::service {
namespace {

absl::StatusOr<advise::Measurement> ToMeasurement(const std::string& library,
                                                  const v1::MeasurementCandidate& candidate) {
  if (absl::Status text = FirstOf({Text("collective", candidate.collective(), kMaxNameBytes, true),
                                   Text("algorithm", candidate.algorithm(), kMaxNameBytes, true)});
      !text.ok()) {
    return text;
  }
  advise::Question question;
  question.library = library;
  question.collective = candidate.collective();
  question.nodes = candidate.nodes();
  question.ppn = candidate.ppn();
  question.ranks = candidate.ranks();
  question.block_bytes = candidate.block_bytes();
  if (candidate.type_bytes() != 0) question.type_bytes = candidate.type_bytes();
  if (absl::Status valid = advise::Validate(question); !valid.ok()) return valid;
  if (question.nodes == 0) question.nodes = (question.ranks + question.ppn - 1) / question.ppn;
  return advise::Measurement{.collective = question.collective,
                             .algorithm = candidate.algorithm(),
                             .nodes = question.nodes,
                             .ppn = question.ppn,
                             .ranks = question.ranks,
                             .block_bytes = question.block_bytes,
                             .type_bytes = question.type_bytes};
}

absl::StatusOr<std::vector<advise::Measurement>> CandidatesOf(
    const advise::MachineView& machine, const v1::SuggestMeasurementsRequest& request) {
  if (request.candidates_size() > static_cast<int>(advise::kMaxMeasurements)) {
    return domain::InvalidField("candidates",
                                absl::StrCat("at most ", advise::kMaxMeasurements, "; there are ",
                                             request.candidates_size()));
  }
  std::vector<advise::Measurement> measurements;
  if (request.candidates().empty()) {
    measurements = advise::UsualMeasurements(machine, request.library());
    if (!measurements.empty()) return measurements;
    return domain::InvalidField(
        "library",
        absl::StrCat("nothing is known of \"", request.library(), "\" on machine ", machine.name,
                     ", so name candidates; known libraries are ", library::LibraryNames()));
  }
  measurements.reserve(static_cast<size_t>(request.candidates_size()));
  for (int i = 0; i < request.candidates_size(); ++i) {
    auto measurement = ToMeasurement(request.library(), request.candidates(i));
    if (!measurement.ok()) {
      return domain::WithFieldPrefix(measurement.status(), absl::StrCat("candidates[", i, "]."));
    }
    measurements.push_back(*std::move(measurement));
  }
  return measurements;
}

}  // namespace

absl::Status AnswerSuggestions(const daemon::Snapshot& snapshot,
                               const v1::SuggestMeasurementsRequest& request,
                               const domain::IsCancelled& is_cancelled,
                               v1::SuggestMeasurementsResponse* response) {
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  if (absl::Status valid =
          FirstOf({Text("library", request.library(), kMaxLibraryBytes, true),
                   InRange("count", request.count(), 0, int64_t{advise::kMaxSuggestions})});
      !valid.ok()) {
    return valid;
  }
  const auto measurements = CandidatesOf(**machine, request);
  if (!measurements.ok()) return measurements.status();
  const int count = request.count() == 0 ? kUsualSuggestions : request.count();
  const absl::StatusOr<advise::Suggestions> suggestions = advise::SuggestMeasurements(
      **machine, request.library(), *measurements, static_cast<size_t>(count), is_cancelled);
  if (!suggestions.ok()) return suggestions.status();
  for (const advise::Suggestion& suggestion : suggestions->best) {
    const advise::Measurement& one = (*measurements)[suggestion.index];
    v1::SuggestedMeasurement* out = response->add_suggestions();
    v1::MeasurementCandidate* measurement = out->mutable_measurement();
    measurement->set_collective(one.collective);
    measurement->set_algorithm(one.algorithm);
    measurement->set_nodes(one.nodes);
    measurement->set_ppn(one.ppn);
    measurement->set_ranks(one.ranks);
    measurement->set_block_bytes(one.block_bytes);
    measurement->set_type_bytes(one.type_bytes);
    if (suggestion.predicted_time_s > 0) out->set_predicted_time_s(suggestion.predicted_time_s);
    out->set_cost_s(suggestion.cost_s);
    out->set_expected_gain_ratio(suggestion.gain);
  }
  response->set_expected_loss_ratio(suggestions->expected_loss);
  response->set_candidate_count(static_cast<int64_t>(measurements->size()));
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

}  // namespace cox::service
