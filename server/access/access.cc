#include "access/access.h"

#include <fnmatch.h>
#include <openssl/rand.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "accounts/accounts.h"
#include "domain/munge_payload.h"

namespace cox::access {
namespace {

constexpr absl::string_view kScheme = "Bearer ";
// How gRPC writes the name of a Unix socket whose name is not a file's.
constexpr absl::string_view kAbstract = "unix-abstract:";
constexpr size_t kNonceBytes = 16;

// Two names stay two: every character that the name of a principal cannot have becomes %XX.
std::string Escaped(absl::string_view name) {
  std::string out;
  for (const char c : name) {
    if (absl::ascii_isalnum(c) || absl::StrContains(".-_:@", absl::string_view(&c, 1))) {
      out += c;
    } else {
      absl::StrAppend(&out, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return out;
}

bool MayBeAnonymous(absl::string_view peer) {
  return absl::StartsWith(peer, "ipv4:") || absl::StartsWith(peer, "ipv6:") || peer == kOverHttp;
}

// A process can leave its groups: in a container, and by newgrp(1). So a group whose role is less
// than that of others counts for all users that the system's database lists in it. `user`: a number
// or a name.
template <class User>
std::vector<gid_t> WithOwnGroup(const Policy& policy, const User& user,
                                absl::Span<const gid_t> groups) {
  std::vector<gid_t> all(groups.begin(), groups.end());
  if (policy.RestrictsGroups()) {
    if (const std::optional<accounts::User> known = accounts::FindUser(user)) {
      all.push_back(known->group);
    }
  }
  return all;
}

Role RoleIn(const Policy& policy, uid_t user, uid_t owner, absl::Span<const gid_t> groups) {
  const std::vector<gid_t> all = WithOwnGroup(policy, owner, groups);
  return std::min(policy.OfUser(user, all), policy.OfUser(owner, all));
}

// The same for a user whom munge names.
Role RoleByMunge(const Policy& policy, uid_t user, uid_t owner, gid_t group) {
  const std::vector<gid_t> all = WithOwnGroup(policy, owner, {group});
  return std::min(policy.OfMungeUser(user, all), policy.OfMungeUser(owner, all));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Access>> Access::Make(Policy policy, std::unique_ptr<Tokens> tokens,
                                                     std::unique_ptr<SlurmKey> slurm_key,
                                                     std::unique_ptr<Munge> munge,
                                                     std::unique_ptr<EndedJobs> ended_jobs,
                                                     GroupsOf groups_of,
                                                     const std::string& subordinate_users_path) {
  std::string nonce(kNonceBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), kNonceBytes) != 1) {
    return absl::UnavailableError("the system has no random bytes; try again later");
  }
  return std::unique_ptr<Access>(
      new Access(std::move(policy), std::move(tokens), std::move(slurm_key), std::move(munge),
                 std::move(ended_jobs), std::move(groups_of), subordinate_users_path,
                 absl::StrCat("cox-", absl::BytesToHexString(nonce), "-")));
}

void Access::SetPolicy(Policy policy) {
  const int64_t number = policy_.load()->number + 1;
  policy_ = std::make_shared<const NumberedPolicy>(NumberedPolicy{std::move(policy), number});
}

absl::StatusOr<Principal> Access::Identify(const Caller& caller) const {
  if (caller.authorization) {
    absl::string_view header = *caller.authorization;
    if (!absl::StartsWithIgnoreCase(header, domain::kMungeScheme)) return IdentifyToken(header);
    header.remove_prefix(domain::kMungeScheme.size());
    return IdentifyMunge(header, caller.method);
  }
  if (!caller.certificate_name.empty()) return IdentifyCertificate(caller);
  if (caller.is_encrypted) {
    return absl::UnauthenticatedError(
        "this address needs a token, munge or a client certificate; see --token-file and --munge "
        "of cox");
  }
  absl::string_view peer = caller.peer;
  if (absl::ConsumePrefix(&peer, kAbstract) && absl::ConsumePrefix(&peer, user_prefix_)) {
    if (std::optional<Principal> user = IdentifyUser(peer)) return *std::move(user);
  }
  // The user of a Unix socket is always known, or something is wrong with how we learn it.
  Principal principal;
  if (MayBeAnonymous(caller.peer)) principal.role = policy_.load()->policy.anonymous;
  return principal;
}

// The name is ROLE.POLICY.UID.OWNER.FD.COOKIE: the role under the policy of this number.
std::optional<Principal> Access::IdentifyUser(absl::string_view name) const {
  const std::vector<absl::string_view> words = absl::StrSplit(name, '.');
  int role = 0;
  int64_t number = 0;
  Principal principal;
  principal.kind = Principal::Kind::kUser;
  if (words.size() != 6 || !absl::SimpleAtoi(words[0], &role) ||
      !absl::SimpleAtoi(words[1], &number) || !absl::SimpleAtoi(words[2], &principal.user) ||
      !absl::SimpleAtoi(words[3], &principal.owner) ||
      !absl::SimpleAtoi(words[4], &principal.connection.fd) ||
      !absl::SimpleAtoi(words[5], &principal.connection.cookie)) {
    return std::nullopt;
  }
  principal.name = absl::StrCat(domain::kUserPrefix, principal.owner);
  principal.role = number == policy_.load()->number ? static_cast<Role>(role) : RoleOf(principal);
  return principal;
}

Role Access::RoleOf(const Principal& principal) const {
  const std::shared_ptr<const NumberedPolicy> current = policy_.load();
  const Policy& policy = current->policy;
  switch (principal.kind) {
    case Principal::Kind::kAnonymous:
      return policy.anonymous;
    case Principal::Kind::kUser: {
      if (!principal.connection.is_known()) {
        return RoleByMunge(policy, principal.user, principal.owner, principal.group);
      }
      const std::optional<std::vector<gid_t>> groups = groups_of_(principal.connection);
      return groups ? RoleOf(principal.user, principal.owner, *groups) : Role::kNone;
    }
    case Principal::Kind::kToken: {
      const std::optional<Token> token = TokenOf(principal);
      return token ? token->role : Role::kNone;
    }
    case Principal::Kind::kCertificate:
      return policy.OfCertificate(principal.plain_name);
    case Principal::Kind::kSlurmUser:
      return policy.OfSlurmUser(principal.plain_name,
                                WithOwnGroup(policy, principal.plain_name, {}));
    case Principal::Kind::kJob:
      // Nobody gets in by a job whom the site shuts out.
      return RoleByMunge(policy, principal.user, principal.user, principal.group) == Role::kNone
                 ? Role::kNone
                 : Role::kReporter;
  }
  return Role::kNone;
}

bool Access::IsMember(const Project& project, const Principal& principal) const {
  const Policy& members = project.members;
  switch (principal.kind) {
    case Principal::Kind::kAnonymous:
      return false;
    case Principal::Kind::kUser: {
      if (!principal.connection.is_known()) {
        return members.OfMungeUser(principal.owner, {principal.group}) != Role::kNone;
      }
      const std::optional<std::vector<gid_t>> groups = groups_of_(principal.connection);
      return groups && members.OfUser(principal.owner, *groups) != Role::kNone;
    }
    case Principal::Kind::kToken:
      return project.tokens.contains(absl::StripPrefix(principal.name, domain::kTokenPrefix));
    case Principal::Kind::kCertificate:
      return members.OfCertificate(principal.plain_name) != Role::kNone;
    case Principal::Kind::kSlurmUser:
      return members.OfSlurmUser(principal.plain_name, {}) != Role::kNone;
    case Principal::Kind::kJob:
      return members.OfMungeUser(principal.user, {principal.group}) != Role::kNone;
  }
  return false;
}

bool Access::SeesAllMachines(const Principal& principal) const {
  return principal.role >= Role::kOperator || policy_.load()->policy.projects.empty();
}

bool Access::SeesMachine(const Principal& principal, const std::string& machine) const {
  if (SeesAllMachines(principal)) return true;
  const std::shared_ptr<const NumberedPolicy> current = policy_.load();
  bool is_of_project = false;
  for (const Project& project : current->policy.projects) {
    if (fnmatch(project.machines.c_str(), machine.c_str(), 0) != 0) continue;
    if (IsMember(project, principal)) return true;
    is_of_project = true;
  }
  return !is_of_project;
}

std::optional<Token> Access::TokenOf(const Principal& principal) const {
  absl::string_view name = principal.name;
  if (!absl::ConsumePrefix(&name, domain::kTokenPrefix)) return std::nullopt;
  return tokens_->FindAgain(name, principal.token_create_time_us);
}

absl::StatusOr<Principal> Access::IdentifyToken(absl::string_view authorization) const {
  const absl::string_view text =
      absl::StartsWithIgnoreCase(authorization, kScheme)
          ? absl::StripAsciiWhitespace(authorization.substr(kScheme.size()))
          : "";
  if (munge_ != nullptr && absl::StartsWith(text, domain::kMungeBegin)) {
    const absl::StatusOr<Munge::Job> job = munge_->VerifyJob(text);
    if (!job.ok()) return job.status();
    return IdentifyJob(*job);
  }
  const std::optional<Token> token = tokens_->Find(text);
  if (!token && slurm_key_ != nullptr) {
    if (const auto bearer = slurm_key_->Verify(text)) return IdentifySlurmUser(*bearer);
  }
  if (!token) {
    // What is wrong with a token is not said: it would help to guess one.
    return absl::UnauthenticatedError(
        "the token is not known here: it was revoked, has expired, or is from another daemon");
  }
  Principal principal;
  principal.kind = Principal::Kind::kToken;
  principal.name = absl::StrCat(domain::kTokenPrefix, token->name);
  principal.role = token->role;
  principal.job = token->job;
  principal.token_create_time_us = token->create_time_us;
  return principal;
}

absl::StatusOr<Principal> Access::IdentifyCertificate(const Caller& caller) const {
  if (absl::Status good = CheckCertificate(caller.certificate_chain_pem); !good.ok()) return good;
  Principal principal;
  principal.kind = Principal::Kind::kCertificate;
  principal.name = absl::StrCat(domain::kCertificatePrefix, Escaped(caller.certificate_name));
  principal.plain_name = std::string(caller.certificate_name);
  principal.certificate_chain_pem = caller.certificate_chain_pem;
  principal.role = RoleOf(principal);
  return principal;
}

absl::Status Access::CheckCertificate(absl::string_view chain_pem) const {
  if (tls_files_ == nullptr) return absl::OkStatus();
  const std::shared_ptr<const ClientCa> client_ca = tls_files_->client_ca();
  return client_ca == nullptr ? absl::UnauthenticatedError("this coxd takes no certificates")
                              : client_ca->Check(chain_pem);
}

Principal Access::IdentifySlurmUser(const SlurmKey::Bearer& bearer) const {
  Principal principal;
  principal.kind = Principal::Kind::kSlurmUser;
  principal.name = absl::StrCat(domain::kSlurmUserPrefix, Escaped(bearer.user));
  principal.plain_name = bearer.user;
  principal.role = RoleOf(principal);
  principal.expire_time_us = bearer.expire_time_us;
  principal.key_number = bearer.key_number;
  return principal;
}

// The same principal as over a Unix socket, so that a user's jobs are his on every node.
absl::StatusOr<Principal> Access::IdentifyMunge(absl::string_view credential,
                                                absl::string_view method) const {
  if (munge_ == nullptr) {
    return absl::UnauthenticatedError("this coxd takes no credential of munge (munge-names)");
  }
  const absl::StatusOr<Munge::Bearer> bearer = munge_->Verify(credential, method);
  if (!bearer.ok()) return bearer.status();
  if (bearer->job) return IdentifyJob(*bearer->job);
  Principal principal;
  principal.kind = Principal::Kind::kUser;
  principal.user = bearer->user;
  principal.owner = OwnerOf(bearer->user);
  principal.name = absl::StrCat(domain::kUserPrefix, principal.owner);
  principal.group = bearer->group;
  principal.role = RoleOf(principal);
  return principal;
}

// The user's principal, so that its jobs are its own whatever proves it, with less to do.
absl::StatusOr<Principal> Access::IdentifyJob(const Munge::Job& job) const {
  if (ended_jobs_ == nullptr) {
    return absl::UnauthenticatedError("this coxd takes no credential of a job (munge-names)");
  }
  if (!ended_jobs_->MayReport(job.number, job.create_time_us, job.end_time_us)) {
    return absl::UnauthenticatedError("the job of this credential has ended");
  }
  Principal principal;
  principal.kind = Principal::Kind::kJob;
  principal.name = absl::StrCat(domain::kUserPrefix, job.user);
  principal.user = job.user;
  principal.group = job.group;
  principal.role = RoleOf(principal);
  principal.job = absl::StrCat("slurm-", job.number);
  principal.token_create_time_us = job.create_time_us;
  principal.expire_time_us = job.end_time_us;
  principal.job_number = job.number;
  return principal;
}

absl::Status Access::Check(const Principal& principal, const Rule& rule) {
  if (principal.role >= rule.role) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      rule.method, " needs the role ", RoleName(rule.role), "; ", principal.name, " has the role ",
      RoleName(principal.role), ". Use a token of that role, or ask the operator of coxd for one"));
}

absl::Status Access::CheckAgain(const Principal& principal) const {
  bool is_good = true;
  if (principal.kind == Principal::Kind::kToken) {
    const std::optional<Token> token = TokenOf(principal);
    is_good = token && token->job == principal.job;
  } else if (principal.kind == Principal::Kind::kSlurmUser) {
    is_good = slurm_key_->IsGood(
        {.user{}, .expire_time_us = principal.expire_time_us, .key_number = principal.key_number});
  } else if (principal.kind == Principal::Kind::kJob) {
    is_good = ended_jobs_->MayReport(principal.job_number, principal.token_create_time_us,
                                     principal.expire_time_us);
  } else if (principal.kind == Principal::Kind::kCertificate) {
    if (absl::Status good = CheckCertificate(principal.certificate_chain_pem); !good.ok()) {
      return good;
    }
  }
  if (!is_good) {
    return absl::UnauthenticatedError(
        "the token of this stream was revoked or has expired, or its job has ended");
  }
  const Role role = RoleOf(principal);
  if (role >= principal.role) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the role of ", principal.name, " is ", RoleName(role),
                   " now: the operator of coxd has changed ",
                   principal.kind == Principal::Kind::kToken ? "the token" : "`roles`",
                   ". Begin another stream if this role may"));
}

Role Access::RoleOf(uid_t user, uid_t owner, absl::Span<const gid_t> groups) const {
  return RoleIn(policy_.load()->policy, user, owner, groups);
}

uid_t Access::OwnerOf(uid_t user) const {
  return policy_.load()->policy.users.contains(user) ? user : subordinate_users_->OwnerOf(user);
}

std::string Access::NameOfUser(uid_t user, uid_t owner, absl::Span<const gid_t> groups,
                               const ConnectionId& connection) const {
  const std::shared_ptr<const NumberedPolicy> current = policy_.load();
  const int role = static_cast<int>(RoleIn(current->policy, user, owner, groups));
  return absl::StrCat(user_prefix_,
                      absl::StrJoin({absl::StrCat(role), absl::StrCat(current->number),
                                     absl::StrCat(user), absl::StrCat(owner),
                                     absl::StrCat(connection.fd), absl::StrCat(connection.cookie)},
                                    "."));
}

}  // namespace cox::access
