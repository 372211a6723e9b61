#include "cli/run/find_decisions.h"

#include <cox/v1/advice.pb.h>

#include "cli/connection.h"
#include "cli/methods.h"
#include "tuning/answer.h"

namespace cox::cli {
namespace {

absl::StatusOr<std::string> Ask(const tuning::TuningKey& key, double limit_s,
                                const Credentials& credentials, const std::string& known) {
  v1::GetDecisionsRequest request;
  request.set_machine(key.machine);
  request.set_library(key.library);
  request.set_nodes(key.shape.nodes);
  request.set_ppn(key.shape.ppn);
  request.set_assume_commutative(key.assume.commutative);
  request.set_assume_elements_at_least_ranks(key.assume.elements_at_least_ranks);
  request.set_assume_same_counts(key.assume.same_counts);
  request.set_explore_ratio(key.explore_ratio);
  request.set_second_library(key.second_library);
  v1::GetDecisionsResponse response;
  if (!known.empty() && response.ParseFromString(known)) request.set_etag(response.etag());
  response.Clear();
  Connection connection(key.server, limit_s, credentials);
  const absl::Status status = connection.Call(kGetDecisions, request, response);
  if (!status.ok()) return status;
  return response.SerializeAsString();
}

bool IsComplete(const std::string& text) {
  v1::GetDecisionsResponse answer;
  return answer.ParseFromString(text) && !answer.etag().empty() && !answer.not_modified();
}

bool IsNotModified(const std::string& text) {
  v1::GetDecisionsResponse answer;
  return answer.ParseFromString(text) && answer.not_modified();
}

}  // namespace

absl::StatusOr<FoundDecisions> FindDecisions(const tuning::TuningKey& key, double limit_s,
                                             const tuning::TuningCache& cache,
                                             const Credentials& credentials) {
  const tuning::Source source = {
      .is_complete = IsComplete,
      .ask = [&](const std::string& known) { return Ask(key, limit_s, credentials, known); },
      .is_not_modified = IsNotModified};
  const absl::StatusOr<tuning::Answer> answer = tuning::FindAnswer(key, limit_s, cache, source);
  if (!answer.ok()) return answer.status();
  FoundDecisions found;
  found.remark = answer->remark;
  if (!found.answer.ParseFromString(answer->answer)) {
    return absl::InternalError("the answer cannot be read");
  }
  return found;
}

}  // namespace cox::cli
