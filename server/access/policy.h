// The roles of callers without a token, and who sees the machines of a project: from the settings
// `roles`, `anonymous-role` and `projects`. Pure, except ParsePolicy(); any thread.
#ifndef COX_ACCESS_POLICY_H_
#define COX_ACCESS_POLICY_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "access/role.h"

namespace cox::access {

struct Project;

struct Policy {
  Role anonymous = Role::kNone;        // of TCP without TLS
  Role other_users = Role::kReporter;  // of a Unix socket
  Role other_certificates = Role::kNone;
  absl::flat_hash_map<uid_t, Role> users;  // root and the daemon's own user are administrators
  absl::flat_hash_map<gid_t, Role> groups;
  absl::flat_hash_map<std::string, Role> certificates;
  // The same users and groups by name, for those whom Slurm names.
  absl::flat_hash_map<std::string, Role> user_names;
  absl::flat_hash_map<std::string, Role> group_members;  // by user: the highest of its groups
  // The same by number, for those whom munge names: without the administrators that every host has.
  absl::flat_hash_map<uid_t, Role> named_users;
  absl::flat_hash_map<uid_t, Role> member_users;
  std::vector<Project> projects;

  // A user's own entry counts; without one the highest of its groups (these, and those that the
  // system's database lists it in); without any, other_users.
  Role OfUser(uid_t user, absl::Span<const gid_t> groups_of_user) const;
  // Whether a group has less than other_users.
  bool RestrictsGroups() const;
  // The same for a user whom Slurm names, but without any entry it is at most a reporter: whoever
  // has Slurm's key names anybody.
  Role OfSlurmUser(absl::string_view name, absl::Span<const gid_t> groups_of_user) const;
  // And for a user whom munge names: root of each node can name anybody.
  Role OfMungeUser(uid_t user, absl::Span<const gid_t> groups_of_user) const;
  // `name` is a subject alternative name.
  Role OfCertificate(absl::string_view name) const;

 private:
  // The highest of these groups and of `listed`; nullopt: none of them has a role.
  std::optional<Role> OfGroups(std::optional<Role> listed,
                               absl::Span<const gid_t> groups_of_user) const;
};

// Machines that only its members see, and operators.
struct Project {
  std::string machines;  // their names: a pattern such as "wx-*", as in fnmatch(3)
  Policy members{};      // of whom each has a role; nobody else has any
  absl::flat_hash_set<std::string> tokens{};  // names of those whose bearers are members
};

// `roles` is "none" or a list, separated by commas, of WHO=ROLE with WHO: a user's name or number,
// @GROUP, cert:NAME, * (other users) or cert:* (other certificates). Looks up users and groups in
// the system's database: may wait. INVALID_ARGUMENT (the field is the setting) for a wrong
// word, NOT_FOUND for an unknown user or group. `projects` is "none" or a list of MACHINES=WHO with
// WHO as in `roles`, or token:NAME; several entries of the same MACHINES are one project.
absl::StatusOr<Policy> ParsePolicy(absl::string_view roles, absl::string_view anonymous_role,
                                   absl::string_view projects = "none");

}  // namespace cox::access

#endif  // COX_ACCESS_POLICY_H_
