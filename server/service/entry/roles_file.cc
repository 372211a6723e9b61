#include "service/entry/roles_file.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "daemon/log.h"

namespace cox::service {

RolesFile::RolesFile(const daemon::Config& config, access::Access* access)
    : sources_(config.sources),
      access_(access),
      roles_(config.roles),
      anonymous_role_(config.anonymous_role),
      projects_(config.projects) {}

absl::Status RolesFile::Refresh() {
  if (sources_.file.empty()) return absl::OkStatus();
  absl::StatusOr<Values> values = daemon::ReadConfigValues(sources_);
  if (!values.ok()) return values.status();
  if (*values != seen_) {
    seen_ = *std::move(values);
    return absl::OkStatus();
  }
  if (*values == used_) return absl::OkStatus();
  const absl::StatusOr<daemon::Config> config = daemon::MakeConfig(*values);
  if (!config.ok()) return config.status();
  absl::StatusOr<access::Policy> policy =
      access::ParsePolicy(config->roles, config->anonymous_role, config->projects);
  if (!policy.ok()) return policy.status();
  const bool is_first = used_.empty();
  if (!is_first) TellOthers(*values);
  used_ = *std::move(values);
  if (is_first && config->roles == roles_ && config->anonymous_role == anonymous_role_ &&
      config->projects == projects_) {
    return absl::OkStatus();
  }
  access_->SetPolicy(*std::move(policy));
  roles_ = config->roles;
  anonymous_role_ = config->anonymous_role;
  projects_ = config->projects;
  daemon::Log(daemon::LogLevel::kInfo, "uses the roles of the changed file",
              {{"roles", roles_}, {"anonymous_role", anonymous_role_}, {"projects", projects_}});
  return absl::OkStatus();
}

void RolesFile::TellOthers(const Values& values) const {
  std::vector<std::string> names;
  for (const daemon::ConfigKey& key : daemon::ConfigKeys()) {
    const bool is_read_again =
        key.name == "roles" || key.name == "anonymous-role" || key.name == "projects";
    if (!is_read_again &&
        daemon::DescribeConfigKey(key, values) != daemon::DescribeConfigKey(key, used_)) {
      names.emplace_back(key.name);
    }
  }
  if (names.empty()) return;
  daemon::Log(daemon::LogLevel::kWarning, "restart coxd to use other settings that changed",
              {{"settings", absl::StrJoin(names, ",")}});
}

}  // namespace cox::service
