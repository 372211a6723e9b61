#include "cli/run/find_tuning.h"

#include <cox/v1/advice.pb.h>

#include <utility>

#include "cli/connection.h"
#include "cli/methods.h"
#include "cli/run/run_settings.h"
#include "console/command_words.h"
#include "tuning/answer.h"

namespace cox::cli {
namespace {

constexpr size_t kMaxTextBytes = 1 << 20;

// With text and rows.
bool IsComplete(const v1::GetTuningResponse& answer) {
  return !answer.text().empty() && answer.text().size() <= kMaxTextBytes;
}

absl::StatusOr<std::string> Ask(const TuningKey& key, const std::string& command, double limit_s,
                                const std::string& known) {
  v1::GetTuningRequest request;
  request.set_machine(key.machine);
  request.set_library(key.library);
  request.set_nodes(key.shape.nodes);
  request.set_ppn(key.shape.ppn);
  request.set_format(key.question == tuning::Question::kFile ? v1::TUNING_FORMAT_FILE
                                                             : v1::TUNING_FORMAT_ENV);
  request.set_assume_commutative(key.assume.commutative);
  request.set_assume_elements_at_least_ranks(key.assume.elements_at_least_ranks);
  request.set_assume_same_counts(key.assume.same_counts);
  request.set_command(console::CommandField(command));
  request.set_explore_ratio(key.explore_ratio);
  v1::GetTuningResponse response;
  if (!known.empty() && response.ParseFromString(known)) request.set_etag(response.etag());
  response.Clear();
  Connection connection(key.server, limit_s);
  const absl::Status status = connection.Call(kGetTuning, request, response);
  if (!status.ok()) return status;
  return response.SerializeAsString();
}

}  // namespace

absl::StatusOr<FoundTuning> FindTuning(const TuningKey& key, const std::string& command,
                                       double limit_s, const TuningCache& cache) {
  const tuning::Source source = {
      .is_complete =
          [](const std::string& text) {
            v1::GetTuningResponse answer;
            return answer.ParseFromString(text) && IsComplete(answer);
          },
      .ask = [&](const std::string& known) { return Ask(key, command, limit_s, known); },
      .is_not_modified =
          [](const std::string& text) {
            v1::GetTuningResponse answer;
            return answer.ParseFromString(text) && answer.not_modified();
          }};
  const absl::StatusOr<tuning::Answer> answer = tuning::FindAnswer(key, limit_s, cache, source);
  if (!answer.ok()) return answer.status();
  FoundTuning found;
  found.remark = answer->remark;
  if (!found.answer.ParseFromString(answer->answer)) {
    return absl::InternalError("the answer cannot be read");
  }
  if (key.question == tuning::Question::kFile && ChangesSomething(found.answer)) {
    absl::StatusOr<std::string> path = cache.TextFile(key, found.answer.profile_revision(),
                                                      found.answer.etag(), found.answer.text());
    if (!path.ok()) return path.status();
    found.text_file = *std::move(path);
  }
  return found;
}

}  // namespace cox::cli
