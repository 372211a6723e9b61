#include "service/entry/access_setup.h"

#include <utility>

#include "daemon/wall_clock.h"

namespace cox::service {

absl::Status CheckAccessSettings(const daemon::Config& config) {
  return access::ParsePolicy(config.roles, config.anonymous_role).status();
}

absl::StatusOr<std::unique_ptr<access::Access>> MakeAccess(const daemon::Config& config) {
  absl::StatusOr<access::Policy> policy = access::ParsePolicy(config.roles, config.anonymous_role);
  if (!policy.ok()) return policy.status();
  auto tokens = access::Tokens::Open(config.token_file, daemon::NowMicros);
  if (!tokens.ok()) return tokens.status();
  return access::Access::Make(*std::move(policy), *std::move(tokens));
}

}  // namespace cox::service
