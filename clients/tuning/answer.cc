#include "tuning/answer.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace cox::tuning {
namespace {

constexpr double kLeastPatience_s = 0.05;

// Codes that only a working daemon sends. Other codes may also come from a broken connection.
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

// Returns a complete answer. UNAVAILABLE: no daemon, or no answer in time.
absl::StatusOr<std::string> Ask(const TuningKey& key, double limit_s, const TuningCache& cache,
                                const Source& source, const std::string& known) {
  const bool is_kept = key.explore_ratio == 0;
  const absl::Time start = absl::Now();
  absl::StatusOr<std::string> answer = source.ask(is_kept ? known : "");
  if (answer.ok() || IsRefusal(answer.status())) cache.NoteAnswered(key.server);
  if (answer.ok() && !known.empty() && source.is_not_modified(*answer)) {
    cache.Confirm(key);
    return known;
  }
  if (answer.ok() && source.is_complete(*answer)) {
    // Without a writable cache, later jobs only take longer.
    if (is_kept) cache.Store(key, *answer).IgnoreError();
    return answer;
  }
  absl::Status status = answer.status();
  if (IsRefusal(status)) return status;
  if (status.ok()) status = absl::InternalError("coxd sent an incomplete answer");
  // A refused connection costs nothing. A slow daemon is not asked again soon, except by jobs that
  // wait longer. A job with next to no time says nothing about the daemon.
  const bool had_time = limit_s >= kLeastPatience_s;
  if (had_time && absl::Now() - start > absl::Seconds(limit_s) / 4) {
    cache.NoteSlow(key.server, limit_s);
  }
  if (status.code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::UnavailableError(
        absl::StrFormat("no answer from coxd at %s within %.0f ms", key.server, limit_s * 1e3));
  }
  return absl::UnavailableError(status.message());
}

}  // namespace

absl::StatusOr<Answer> FindAnswer(const TuningKey& key, double limit_s, const TuningCache& cache,
                                  const Source& source) {
  std::optional<TuningCache::Entry> known = cache.Load(key);
  // A damaged file counts as absent.
  if (known.has_value() && !source.is_complete(known->answer)) known.reset();
  absl::StatusOr<std::string> answer =
      cache.IsQuiet(key.server, limit_s)
          ? absl::UnavailableError(
                absl::StrCat("coxd at ", key.server, " was too slow a moment ago"))
          : Ask(key, limit_s, cache, source, known.has_value() ? known->answer : "");
  Answer found;
  if (absl::IsUnavailable(answer.status()) && known.has_value()) {
    found.remark =
        absl::StrCat("from the cache, confirmed ",
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", known->confirmed, absl::UTCTimeZone()),
                     ": ", answer.status().message());
    answer = std::move(known->answer);
  }
  if (!answer.ok()) return answer.status();
  found.answer = *std::move(answer);
  return found;
}

}  // namespace cox::tuning
