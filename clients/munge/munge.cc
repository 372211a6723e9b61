#include "munge/munge.h"

#include <munge.h>
#include <sys/types.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/munge_payload.h"
#include "servers/user_number.h"

namespace cox::munge {
namespace {

struct EndContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
struct EndText {
  void operator()(char* text) const { std::free(text); }
};

absl::StatusOr<uid_t> FindUser(const std::string& name) {
  // To the system the greatest number is no user: munge would let anybody read the credential.
  if (const std::optional<uid_t> user = servers::UserNumber(name)) return *user;
  return absl::InvalidArgumentError(absl::StrCat(
      "munge: there is no user \"", name, "\" here; name the user of coxd (--munge, COX_MUNGE)"));
}

// "[::1]:7077" -> "::1", "dns:coxd.site:7077" -> "coxd.site".
absl::string_view HostOf(absl::string_view server) {
  absl::string_view host = server.substr(0, server.rfind(':'));
  absl::ConsumePrefix(&host, "dns:");
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  return host;
}

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

Options FromEnvironment() {
  return {.reader = Variable("COX_MUNGE"), .socket = Variable("COX_MUNGE_SOCKET")};
}

bool IsUseful(absl::string_view server) {
  return !absl::StartsWith(server, "unix:") && !absl::StartsWith(server, "unix-abstract:");
}

absl::StatusOr<std::string> Authorization(const Options& options, absl::string_view server,
                                          absl::string_view path) {
  const absl::StatusOr<uid_t> reader = FindUser(options.reader);
  if (!reader.ok()) return reader.status();
  const std::unique_ptr<munge_ctx, EndContext> context(munge_ctx_create());
  if (context == nullptr) return absl::UnavailableError("munge: no memory");
  munge_err_t error = munge_ctx_set(context.get(), MUNGE_OPT_UID_RESTRICTION, *reader);
  if (error == EMUNGE_SUCCESS && !options.socket.empty()) {
    error = munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, options.socket.c_str());
  }
  std::string payload = domain::MungePayload(HostOf(server), absl::StripPrefix(path, "/"));
  if (!options.job_credential.empty()) {
    absl::StrAppend(&payload, absl::string_view(&domain::kJobSeparator, 1), options.job_credential);
  }
  char* text = nullptr;
  if (error == EMUNGE_SUCCESS) {
    error = munge_encode(&text, context.get(), payload.data(), static_cast<int>(payload.size()));
  }
  const std::unique_ptr<char, EndText> credential(text);
  if (error == EMUNGE_SUCCESS) return absl::StrCat(domain::kMungeScheme, text);
  return absl::UnavailableError(
      absl::StrCat("munge: munged of this host made no credential: ", munge_strerror(error)));
}

}  // namespace cox::munge
