#include "access/munge.h"

#include <munge.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "domain/munge_payload.h"

namespace cox::access {
namespace {

constexpr absl::string_view kBegin = "MUNGE:";
constexpr size_t kMaxCredentialBytes = 4'096;
constexpr std::chrono::milliseconds kPatience{200};

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

bool IsOfMunged(munge_err_t error) {
  return error == EMUNGE_SNAFU || error == EMUNGE_NO_MEMORY || error == EMUNGE_SOCKET ||
         error == EMUNGE_TIMEOUT;
}

}  // namespace

absl::StatusOr<Munge::Bearer> Munge::Verify(absl::string_view credential,
                                            absl::string_view method) {
  if (!absl::StartsWith(credential, kBegin) || credential.size() > kMaxCredentialBytes ||
      absl::StrContains(credential, '\0')) {
    return absl::UnauthenticatedError("munge: this is no credential");
  }
  std::unique_lock turn(turn_, std::defer_lock);
  // Always tries: whoever was late may set is_stuck_ when the turn is free already.
  if (!(is_stuck_ ? turn.try_lock() : turn.try_lock_for(kPatience))) {
    is_stuck_ = true;
    return Away("it hangs");
  }
  absl::StatusOr<Bearer> bearer = Decode(std::string(credential), method);
  is_stuck_ = false;
  return bearer;
}

absl::StatusOr<Munge::Bearer> Munge::Decode(const std::string& credential,
                                            absl::string_view method) const {
  const std::unique_ptr<munge_ctx, EndContext> context(munge_ctx_create());
  if (context == nullptr) return Away("no memory");
  if (!socket_.empty() &&
      munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket_.c_str()) != EMUNGE_SUCCESS) {
    return Away(munge_ctx_strerror(context.get()));
  }
  void* bytes = nullptr;
  int size = 0;
  Bearer bearer;
  const munge_err_t error =
      munge_decode(credential.c_str(), context.get(), &bytes, &size, &bearer.user, &bearer.group);
  const std::unique_ptr<void, EndPayload> payload(bytes);
  if (IsOfMunged(error)) return Away(munge_strerror(error));
  if (error != EMUNGE_SUCCESS) {
    return absl::UnauthenticatedError(absl::StrCat("munge: ", munge_strerror(error)));
  }
  const absl::string_view text(static_cast<const char*>(bytes), static_cast<size_t>(size));
  const bool is_ours = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return text == domain::MungePayload(name, method);
  });
  if (is_ours) return bearer;
  return absl::UnauthenticatedError(
      "munge: the credential is for another daemon or another method; munge-names of coxd lists "
      "the names by which clients may call it");
}

}  // namespace cox::access
