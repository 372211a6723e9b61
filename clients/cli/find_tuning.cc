#include "cli/find_tuning.h"

#include <cox/v1/advice.grpc.pb.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command_words.h"
#include "cli/connection.h"
#include "cli/run_settings.h"

namespace cox::cli {
namespace {

using v1::AdviceService;

constexpr size_t kMaxTextBytes = 1 << 20;

// Answers of a daemon that works. Everything else may also come from a connection that does not.
bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

// The answer with text and rows. UNAVAILABLE: no daemon, or not in time.
absl::StatusOr<v1::GetTuningResponse> Ask(const TuningKey& key, const std::string& command,
                                          double limit_s, const TuningCache& cache,
                                          const std::optional<TuningCache::Entry>& known) {
  v1::GetTuningRequest request;
  request.set_machine(key.machine);
  request.set_library(key.library);
  request.set_nodes(key.shape.nodes);
  request.set_ppn(key.shape.ppn);
  request.set_format(key.as_file ? v1::TUNING_FORMAT_FILE : v1::TUNING_FORMAT_ENV);
  request.set_assume_commutative(key.assume.commutative);
  request.set_assume_elements_at_least_ranks(key.assume.elements_at_least_ranks);
  request.set_command(CommandField(command));
  request.set_explore_ratio(key.explore_ratio);
  const bool is_kept = key.explore_ratio == 0;
  if (known.has_value() && is_kept) request.set_etag(known->answer.etag());
  v1::GetTuningResponse response;
  Connection connection(key.server, limit_s);
  const absl::Time start = absl::Now();
  absl::Status status =
      connection.Call<AdviceService>(&AdviceService::Stub::GetTuning, request, response);
  if (status.ok() && response.not_modified() && known.has_value()) {
    cache.Confirm(key);
    return known->answer;
  }
  if (status.ok() && !response.text().empty() && response.text().size() <= kMaxTextBytes) {
    // A cache that cannot be written to only costs time later.
    if (is_kept) cache.Store(key, response).IgnoreError();
    return response;
  }
  if (IsRefusal(status)) return status;
  if (status.ok()) status = absl::InternalError("the answer has no text");
  // A refused connection costs nothing; somebody who keeps us waiting is not asked again soon.
  if (absl::Now() - start > absl::Seconds(limit_s) / 4) cache.KeepQuiet(key.server);
  if (status.code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::UnavailableError(
        absl::StrFormat("no answer from coxd at %s within %.0f ms", key.server, limit_s * 1e3));
  }
  return absl::UnavailableError(status.message());
}

}  // namespace

absl::StatusOr<FoundTuning> FindTuning(const TuningKey& key, const std::string& command,
                                       double limit_s, const TuningCache& cache) {
  const std::optional<TuningCache::Entry> known = cache.Load(key);
  absl::StatusOr<v1::GetTuningResponse> answer =
      cache.IsQuiet(key.server)
          ? absl::UnavailableError(
                absl::StrCat("coxd at ", key.server, " kept a job waiting less than a minute ago"))
          : Ask(key, command, limit_s, cache, known);
  FoundTuning found;
  if (absl::IsUnavailable(answer.status()) && known.has_value()) {
    found.remark =
        absl::StrCat("from the cache, confirmed ",
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", known->confirmed, absl::UTCTimeZone()),
                     ": ", answer.status().message());
    answer = known->answer;
  }
  if (!answer.ok()) return answer.status();
  found.answer = *std::move(answer);
  if (key.as_file && ChangesSomething(found.answer)) {
    absl::StatusOr<std::string> path = cache.TextFile(key, found.answer);
    if (!path.ok()) return path.status();
    found.text_file = *std::move(path);
  }
  return found;
}

}  // namespace cox::cli
