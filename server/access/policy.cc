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

absl::Status NoSuch(absl::string_view kind, absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("roles: there is no ", kind, " \"", name, "\""));
}

absl::Status AddUser(const std::string& who, Role role, Policy* policy) {
  uid_t user = 0;
  if (absl::SimpleAtoi(who, &user)) {
    const std::optional<accounts::User> known = accounts::FindUser(user);
    if (known) policy->user_names[known->name] = role;
  } else {
    const std::optional<accounts::User> known = accounts::FindUser(who);
    if (!known) return NoSuch("user", who);
    user = known->number;
    policy->user_names[who] = role;
  }
  policy->users[user] = policy->named_users[user] = role;
  return absl::OkStatus();
}

absl::Status AddGroup(const std::string& who, Role role, Policy* policy) {
  gid_t group_id = 0;
  const bool is_number = absl::SimpleAtoi(who, &group_id);
  const std::optional<accounts::Group> known =
      is_number ? accounts::FindGroup(group_id) : accounts::FindGroup(who);
  if (!known && !is_number) return NoSuch("group", who);
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

absl::Status Add(absl::string_view entry, Policy* policy) {
  const size_t equals = entry.rfind('=');
  absl::string_view who = entry.substr(0, equals);
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
  } else if (absl::ConsumePrefix(&who, "cert:")) {
    policy->certificates[std::string(who)] = *role;
  } else if (absl::ConsumePrefix(&who, "@")) {
    return AddGroup(std::string(who), *role, policy);
  } else {
    return AddUser(std::string(who), *role, policy);
  }
  return absl::OkStatus();
}

}  // namespace

Role Policy::OfUser(uid_t user, absl::Span<const gid_t> groups_of_user) const {
  if (const auto found = users.find(user); found != users.end()) return found->second;
  std::optional<Role> role;
  for (const gid_t group_id : groups_of_user) {
    const auto found = groups.find(group_id);
    if (found != groups.end()) role = std::max(role.value_or(Role::kNone), found->second);
  }
  return role.value_or(other_users);
}

Role Policy::OfSlurmUser(absl::string_view name) const {
  if (const auto found = user_names.find(name); found != user_names.end()) return found->second;
  const auto member = group_members.find(name);
  return member != group_members.end() ? member->second : std::min(other_users, Role::kReporter);
}

Role Policy::OfMungeUser(uid_t user, gid_t group) const {
  if (const auto found = named_users.find(user); found != named_users.end()) return found->second;
  const auto own = groups.find(group);
  const auto listed = member_users.find(user);
  if (own == groups.end() && listed == member_users.end()) {
    return std::min(other_users, Role::kReporter);
  }
  return std::max(own == groups.end() ? Role::kNone : own->second,
                  listed == member_users.end() ? Role::kNone : listed->second);
}

Role Policy::OfCertificate(absl::string_view name) const {
  const auto found = certificates.find(name);
  return found == certificates.end() ? other_certificates : found->second;
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view roles, absl::string_view anonymous_role) {
  Policy policy;
  const std::optional<Role> anonymous = ParseRole(anonymous_role);
  if (!anonymous) return domain::InvalidField("anonymous-role", kRoleRule);
  policy.anonymous = *anonymous;
  policy.users = {{0, Role::kAdmin}, {geteuid(), Role::kAdmin}};
  if (roles.empty()) return domain::InvalidField("roles", "must not be empty; none is a value");
  if (roles == "none") return policy;
  absl::flat_hash_set<absl::string_view> named;
  for (const absl::string_view unstripped : absl::StrSplit(roles, ',')) {
    const absl::string_view entry = absl::StripAsciiWhitespace(unstripped);
    if (absl::Status added = Add(entry, &policy); !added.ok()) return added;
    const absl::string_view who = entry.substr(0, entry.rfind('='));
    if (!named.insert(who).second) {
      return domain::InvalidField("roles", absl::StrCat("names \"", who, "\" twice"));
    }
  }
  return policy;
}

}  // namespace cox::access
