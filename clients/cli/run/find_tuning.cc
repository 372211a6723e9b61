#include "cli/run/find_tuning.h"

#include <cox/v1/advice.pb.h>

#include <utility>

#include "cli/connection.h"
#include "cli/methods.h"
#include "cli/run/daemon_text.h"
#include "cli/run/run_settings.h"
#include "tuning/answer.h"

namespace cox::cli {
namespace {

// Whether the answer has a text and the text may reach a job.
absl::Status CheckAnswer(const TuningKey& key, const v1::GetTuningResponse& answer) {
  if (answer.text().empty()) return absl::InternalError("the answer has no text");
  const bool is_file = key.question == tuning::Question::kFile;
  return CheckDaemonText(key.library, is_file ? "file" : "env", answer.text(), key.assume);
}

// The same of an answer as it is kept on disk, where it may be damaged or another's.
bool IsComplete(const TuningKey& key, const std::string& text) {
  v1::GetTuningResponse answer;
  return answer.ParseFromString(text) && CheckAnswer(key, answer).ok();
}

absl::StatusOr<std::string> Ask(const TuningKey& key, const std::string& command, double limit_s,
                                const Credentials& credentials, const std::string& known) {
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
  request.set_command(command);
  request.set_explore_ratio(key.explore_ratio);
  v1::GetTuningResponse response;
  if (!known.empty() && response.ParseFromString(known)) request.set_etag(response.etag());
  response.Clear();
  Connection connection(key.server, limit_s, credentials);
  const absl::Status status = connection.Call(kGetTuning, request, response);
  if (!status.ok()) return status;
  if (!response.not_modified()) {
    if (absl::Status sound = CheckAnswer(key, response); !sound.ok()) return sound;
  }
  return response.SerializeAsString();
}

}  // namespace

absl::StatusOr<FoundTuning> FindTuning(const TuningKey& key, const std::string& command,
                                       double limit_s, const TuningCache& cache,
                                       const Credentials& credentials) {
  const tuning::Source source = {
      .is_complete = [&key](const std::string& text) { return IsComplete(key, text); },
      .ask =
          [&](const std::string& known) { return Ask(key, command, limit_s, credentials, known); },
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
    absl::StatusOr<std::string> path =
        cache.TextFile(key, found.answer.profile_revision(), found.answer.text());
    if (!path.ok()) return path.status();
    found.text_file = *std::move(path);
  }
  return found;
}

}  // namespace cox::cli
