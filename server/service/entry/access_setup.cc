#include "service/entry/access_setup.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/host/unix_peer.h"
#include "daemon/wall_clock.h"

namespace cox::service {
namespace {

std::optional<std::vector<gid_t>> GroupsOf(const access::ConnectionId& connection) {
  std::optional<daemon::UnixPeer> peer = daemon::UnixPeerAgain(connection.fd, connection.cookie);
  if (!peer) return std::nullopt;
  return std::move(peer->groups);
}

}  // namespace

absl::Status CheckAccessSettings(const daemon::Config& config) {
  return access::ParsePolicy(config.roles, config.anonymous_role, config.projects).status();
}

absl::StatusOr<std::unique_ptr<access::Access>> MakeAccess(const daemon::Config& config) {
  absl::StatusOr<access::Policy> policy =
      access::ParsePolicy(config.roles, config.anonymous_role, config.projects);
  if (!policy.ok()) return policy.status();
  auto tokens = access::Tokens::Open(config.token_file, daemon::NowMicros);
  if (!tokens.ok()) return tokens.status();
  absl::StatusOr<std::unique_ptr<access::SlurmKey>> slurm_key = nullptr;
  if (!config.slurm_jwt_key.empty()) {
    slurm_key = access::SlurmKey::Open(config.slurm_jwt_key, daemon::NowMicros);
    if (!slurm_key.ok()) return slurm_key.status();
  }
  std::unique_ptr<access::Munge> munge;
  absl::StatusOr<std::unique_ptr<access::EndedJobs>> ended_jobs = nullptr;
  if (!config.munge_names.empty()) {
    munge = std::make_unique<access::Munge>(config.munge_names, config.munge_socket);
    ended_jobs = access::EndedJobs::Open(config.data + "/ended-jobs", daemon::NowMicros);
    if (!ended_jobs.ok()) return ended_jobs.status();
  }
  return access::Access::Make(*std::move(policy), *std::move(tokens), *std::move(slurm_key),
                              std::move(munge), *std::move(ended_jobs), GroupsOf);
}

std::unique_ptr<access::Quotas> MakeQuotas(const daemon::Config& config) {
  // In the order of access::Quota.
  const access::Quotas::Limits limits = {
      config.quota_rows,    config.quota_machines,    config.quota_jobs,     config.quota_questions,
      config.quota_streams, config.quota_connections, config.quota_scenarios};
  return std::make_unique<access::Quotas>(limits, [] {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since_start).count();
  });
}

}  // namespace cox::service
