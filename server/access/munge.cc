#include "access/munge.h"

#include <munge.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/munge_payload.h"

namespace cox::access {
namespace {

constexpr size_t kMaxCredentialBytes = 4'096;
constexpr std::chrono::milliseconds kPatience{200};
constexpr int64_t kMicrosPerSecond = 1'000'000;
// The year 9999.
constexpr int64_t kMaxSeconds = 253'402'300'799;

struct EndContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
struct EndPayload {
  void operator()(void* payload) const { std::free(payload); }
};

absl::Status Away(absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("munged of coxd's host does not answer: ", why, "; try again later"));
}

absl::Status Refused(absl::string_view why) {
  return absl::UnauthenticatedError(absl::StrCat("munge: ", why));
}

bool IsOfMunged(munge_err_t error) {
  return error == EMUNGE_SNAFU || error == EMUNGE_NO_MEMORY || error == EMUNGE_SOCKET ||
         error == EMUNGE_TIMEOUT;
}

// "JOB UID GID END_S".
std::optional<Munge::Job> ParseJob(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  Munge::Job job;
  int64_t end_s = 0;
  if (words.size() != 4 || !absl::SimpleAtoi(words[0], &job.number) ||
      !absl::SimpleAtoi(words[1], &job.user) || !absl::SimpleAtoi(words[2], &job.group) ||
      !absl::SimpleAtoi(words[3], &end_s) || job.number <= 0 || end_s <= 0 || end_s > kMaxSeconds) {
    return std::nullopt;
  }
  job.end_time_us = end_s * kMicrosPerSecond;
  return job;
}

}  // namespace

absl::StatusOr<Munge::Bearer> Munge::Verify(absl::string_view credential,
                                            absl::string_view method) {
  const absl::StatusOr<Decoded> decoded = Ask(credential, Use::kOnce);
  if (!decoded.ok()) return decoded.status();
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(decoded->payload, absl::MaxSplits(domain::kJobSeparator, 1));
  const bool is_ours = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return parts.first == domain::MungePayload(name, method);
  });
  if (!is_ours) {
    return Refused(
        "the credential is for another daemon or another method; munge-names of coxd lists the "
        "names by which clients may call it");
  }
  Bearer bearer{.user = decoded->user, .group = decoded->group, .job{}};
  if (parts.second.empty()) return bearer;
  const absl::StatusOr<Job> job = VerifyJob(parts.second);
  if (!job.ok()) return job.status();
  if (job->user != bearer.user) return Refused("the credential of the job is another user's");
  bearer.job = *job;
  return bearer;
}

absl::StatusOr<Munge::Job> Munge::VerifyJob(absl::string_view credential) {
  const absl::StatusOr<Decoded> decoded = Ask(credential, Use::kAgain);
  if (!decoded.ok()) return decoded.status();
  absl::string_view payload = decoded->payload;
  if (decoded->user != 0 || !absl::ConsumePrefix(&payload, domain::kJobPayload)) {
    return Refused("this is no credential of a job; root of the job's node makes it");
  }
  std::optional<Job> job = ParseJob(payload);
  if (!job) return Refused("the credential of the job is malformed");
  job->create_time_us = decoded->create_time_us;
  return *job;
}

absl::StatusOr<Munge::Decoded> Munge::Ask(absl::string_view credential, Use use) {
  if (!absl::StartsWith(credential, domain::kMungeBegin) ||
      credential.size() > kMaxCredentialBytes || absl::StrContains(credential, '\0')) {
    return Refused("this is no credential");
  }
  std::unique_lock turn(turn_, std::defer_lock);
  // Always tries: whoever was late may set is_stuck_ when the turn is free already.
  if (!(is_stuck_ ? turn.try_lock() : turn.try_lock_for(kPatience))) {
    is_stuck_ = true;
    return Away("it hangs");
  }
  absl::StatusOr<Decoded> decoded = Decode(std::string(credential), use);
  is_stuck_ = false;
  return decoded;
}

absl::StatusOr<Munge::Decoded> Munge::Decode(const std::string& credential, Use use) const {
  const std::unique_ptr<munge_ctx, EndContext> context(munge_ctx_create());
  if (context == nullptr) return Away("no memory");
  if (!socket_.empty() &&
      munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket_.c_str()) != EMUNGE_SUCCESS) {
    return Away(munge_ctx_strerror(context.get()));
  }
  void* bytes = nullptr;
  int size = 0;
  Decoded decoded;
  munge_err_t error =
      munge_decode(credential.c_str(), context.get(), &bytes, &size, &decoded.user, &decoded.group);
  const std::unique_ptr<void, EndPayload> payload(bytes);
  // munged has checked everything else by then, and gives the content.
  if (use == Use::kAgain && (error == EMUNGE_CRED_REPLAYED || error == EMUNGE_CRED_EXPIRED)) {
    error = EMUNGE_SUCCESS;
  }
  if (IsOfMunged(error)) return Away(munge_strerror(error));
  if (error != EMUNGE_SUCCESS) return Refused(munge_strerror(error));
  if (bytes != nullptr) decoded.payload.assign(static_cast<const char*>(bytes), size);
  time_t created_s = 0;
  if (munge_ctx_get(context.get(), MUNGE_OPT_ENCODE_TIME, &created_s) != EMUNGE_SUCCESS) {
    return Away("no time of the credential");
  }
  decoded.create_time_us = created_s * kMicrosPerSecond;
  return decoded;
}

}  // namespace cox::access
