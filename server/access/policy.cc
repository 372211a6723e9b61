#include "access/policy.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "accounts/accounts.h"
#include "domain/errors.h"

namespace cox::access {
namespace {

constexpr absl::string_view kRoleRule = "must be none, viewer, reporter, operator or admin";

absl::Status NoSuch(absl::string_view setting, absl::string_view kind, absl::string_view name) {
  return absl::NotFoundError(absl::StrCat(setting, ": there is no ", kind, " \"", name, "\""));
}

absl::Status AddUser(absl::string_view setting, const std::string& who, Role role, Policy* policy) {
  uid_t user = 0;
  if (absl::SimpleAtoi(who, &user)) {
    const std::optional<accounts::User> known = accounts::FindUser(user);
    if (known) policy->user_names[known->name] = role;
  } else {
    const std::optional<accounts::User> known = accounts::FindUser(who);
    if (!known) return NoSuch(setting, "user", who);
    user = known->number;
    policy->user_names[who] = role;
  }
  policy->users[user] = policy->named_users[user] = role;
  return absl::OkStatus();
}

absl::Status AddGroup(absl::string_view setting, const std::string& who, Role role,
                      Policy* policy) {
  gid_t group_id = 0;
  const bool is_number = absl::SimpleAtoi(who, &group_id);
  const std::optional<accounts::Group> known =
      is_number ? accounts::FindGroup(group_id) : accounts::FindGroup(who);
  if (!known && !is_number) return NoSuch(setting, "group", who);
  if (known) group_id = known->number;
  policy->groups[group_id] = role;
  if (!known) return absl::OkStatus();
  for (const std::string& member : known->members) {
    Role& highest = policy->group_members.try_emplace(member, role).first->second;
    highest = std::max(highest, role);
    const std::optional<accounts::User> user = accounts::FindUser(member);
    if (!user) continue;
    Role& of_number = policy->member_users.try_emplace(user->number, role).first->second;
    of_number = std::max(of_number, role);
  }
  return absl::OkStatus();
}

// A user, @GROUP or cert:NAME.
absl::Status AddNamed(absl::string_view setting, absl::string_view who, Role role, Policy* policy) {
  if (absl::ConsumePrefix(&who, "cert:")) {
    policy->certificates[std::string(who)] = role;
    return absl::OkStatus();
  }
  if (absl::ConsumePrefix(&who, "@")) return AddGroup(setting, std::string(who), role, policy);
  return AddUser(setting, std::string(who), role, policy);
}

absl::Status AddRole(absl::string_view entry, Policy* policy) {
  const size_t equals = entry.rfind('=');
  const absl::string_view who = entry.substr(0, equals);
  const std::optional<Role> role =
      ParseRole(equals == absl::string_view::npos ? "" : entry.substr(equals + 1));
  if (who.empty() || who == "cert:" || who == "@" || !role) {
    return domain::InvalidField("roles", absl::StrCat("must be a list of WHO=ROLE, and ROLE ",
                                                      kRoleRule, "; there is \"", entry, "\""));
  }
  if (who == "*") {
    policy->other_users = *role;
  } else if (who == "cert:*") {
    policy->other_certificates = *role;
  } else {
    return AddNamed("roles", who, *role, policy);
  }
  return absl::OkStatus();
}

absl::Status AddMember(absl::string_view entry, Policy* policy) {
  constexpr absl::string_view kOfPatterns = "abcdefghijklmnopqrstuvwxyz0123456789._-*?";
  const size_t equals = entry.find('=');
  const absl::string_view machines = entry.substr(0, equals);
  absl::string_view who = equals == absl::string_view::npos ? "" : entry.substr(equals + 1);
  if (machines.empty() || machines.find_first_not_of(kOfPatterns) != absl::string_view::npos ||
      who.empty() || who == "@" || who == "*" || who == "cert:" || who == "cert:*" ||
      who == "token:") {
    return domain::InvalidField(
        "projects", absl::StrCat("must be a list of MACHINES=WHO with MACHINES a name or a pattern "
                                 "such as wx-*, and WHO a user, @GROUP, cert:NAME or token:NAME; "
                                 "there is \"",
                                 entry, "\""));
  }
  auto project =
      std::find_if(policy->projects.begin(), policy->projects.end(),
                   [machines](const Project& known) { return known.machines == machines; });
  if (project == policy->projects.end()) {
    project = policy->projects.insert(project, Project{.machines = std::string(machines)});
    project->members.other_users = Role::kNone;
  }
  if (absl::ConsumePrefix(&who, "token:")) {
    project->tokens.emplace(who);
    return absl::OkStatus();
  }
  return AddNamed("projects", who, Role::kViewer, &project->members);
}

template <class Map, class Name>
std::optional<Role> Entry(const Map& roles, const Name& name) {
  const auto found = roles.find(name);
  return found == roles.end() ? std::nullopt : std::optional<Role>(found->second);
}

size_t NamedCount(const Policy& policy) {
  return policy.named_users.size() + policy.groups.size() + policy.certificates.size();
}

std::vector<absl::string_view> EntriesOf(absl::string_view list) {
  if (list == "none") return {};
  std::vector<absl::string_view> entries = absl::StrSplit(list, ',');
  for (absl::string_view& entry : entries) entry = absl::StripAsciiWhitespace(entry);
  return entries;
}

}  // namespace

Role Policy::OfUser(uid_t user, absl::Span<const gid_t> groups_of_user) const {
  if (const std::optional<Role> own = Entry(users, user)) return *own;
  return OfGroups(Entry(member_users, user), groups_of_user).value_or(other_users);
}

std::optional<Role> Policy::OfGroups(std::optional<Role> listed,
                                     absl::Span<const gid_t> groups_of_user) const {
  std::optional<Role> role = listed;
  for (const gid_t group : groups_of_user) {
    if (const std::optional<Role> of_group = Entry(groups, group)) {
      role = std::max(role.value_or(Role::kNone), *of_group);
    }
  }
  return role;
}

bool Policy::RestrictsGroups() const {
  return std::any_of(groups.begin(), groups.end(),
                     [this](const auto& entry) { return entry.second < other_users; });
}

Role Policy::OfSlurmUser(absl::string_view name, absl::Span<const gid_t> groups_of_user) const {
  if (const std::optional<Role> own = Entry(user_names, name)) return *own;
  return OfGroups(Entry(group_members, name), groups_of_user)
      .value_or(std::min(other_users, Role::kReporter));
}

Role Policy::OfMungeUser(uid_t user, absl::Span<const gid_t> groups_of_user) const {
  if (const std::optional<Role> own = Entry(named_users, user)) return *own;
  return OfGroups(Entry(member_users, user), groups_of_user)
      .value_or(std::min(other_users, Role::kReporter));
}

Role Policy::OfCertificate(absl::string_view name) const {
  const auto found = certificates.find(name);
  return found == certificates.end() ? other_certificates : found->second;
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view roles, absl::string_view anonymous_role,
                                   absl::string_view projects) {
  Policy policy;
  const std::optional<Role> anonymous = ParseRole(anonymous_role);
  if (!anonymous) return domain::InvalidField("anonymous-role", kRoleRule);
  policy.anonymous = *anonymous;
  policy.users = {{0, Role::kAdmin}, {geteuid(), Role::kAdmin}};
  for (const absl::string_view entry : EntriesOf(projects)) {
    if (absl::Status added = AddMember(entry, &policy); !added.ok()) return added;
  }
  if (roles.empty()) return domain::InvalidField("roles", "must not be empty; none is a value");
  absl::flat_hash_set<absl::string_view> named;
  for (const absl::string_view entry : EntriesOf(roles)) {
    const size_t before = NamedCount(policy);
    if (absl::Status added = AddRole(entry, &policy); !added.ok()) return added;
    const absl::string_view who = entry.substr(0, entry.rfind('='));
    const bool is_star = who == "*" || who == "cert:*";
    // A user may have a name and a number.
    if (!named.insert(who).second || (!is_star && NamedCount(policy) == before)) {
      return domain::InvalidField("roles", absl::StrCat("names \"", who, "\" twice"));
    }
  }
  return policy;
}

}  // namespace cox::access
