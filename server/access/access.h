// Identifies the caller of a call and checks its role. All listeners use this one class.
//
// Every question calls Identify(), so it takes no lock and reads no file and no database, except
// that it asks munged about a credential of munge. Any thread.
#ifndef COX_ACCESS_ACCESS_H_
#define COX_ACCESS_ACCESS_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "access/ended_jobs.h"
#include "access/munge.h"
#include "access/policy.h"
#include "access/principal.h"
#include "access/rules.h"
#include "access/slurm_key.h"
#include "access/tls/tls_files.h"
#include "access/tokens.h"
#include "accounts/subordinate_users.h"

namespace cox::access {

// Caller::peer of a call over HTTP.
inline constexpr absl::string_view kOverHttp = "http";

// What a listener knows of a call.
struct Caller {
  absl::string_view peer{};  // gRPC's name of the connection
  // The header; nullopt: none. An empty one is a wrong one.
  std::optional<absl::string_view> authorization{};
  bool is_encrypted = false;  // by TLS
  // Of the client's certificate, which the client CA vouched for when the connection began; "": it
  // showed none.
  absl::string_view certificate_name{};
  std::string certificate_chain_pem{};  // it, and those between it and its CA
  absl::string_view method{};           // "cox.v1.AdviceService/Recommend"
};

// Caller::authorization of a header that HTTP's parser gives as "" if there is none.
inline std::optional<absl::string_view> HeaderOf(absl::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// All groups of the user at the other end of a connection; nullopt: it is closed.
using GroupsOf = std::function<std::optional<std::vector<gid_t>>(const ConnectionId& connection)>;

class Access {
 public:
  // `groups_of` is needed for users of Unix sockets if SetPolicy() is called. Null `slurm_key`: no
  // token of Slurm counts; null `munge`: no credential of munge; null `ended_jobs`: no credential
  // of a job. UNAVAILABLE if the system has no random bytes.
  static absl::StatusOr<std::unique_ptr<Access>> Make(
      Policy policy, std::unique_ptr<Tokens> tokens, std::unique_ptr<SlurmKey> slurm_key = nullptr,
      std::unique_ptr<Munge> munge = nullptr, std::unique_ptr<EndedJobs> ended_jobs = nullptr,
      GroupsOf groups_of = nullptr,
      const std::string& subordinate_users_path = accounts::SubordinateUsers::kPath);

  // Roles are looked up here from now on, also for calls on connections that are open. One thread.
  void SetPolicy(Policy policy);

  // Each call and each living stream asks the client CA of these files, which outlive the calls.
  // Before the first call; null: no listener has TLS.
  void SetTlsFiles(const TlsFiles* files) { tls_files_ = files; }

  // A token or a credential of munge counts before a certificate, and a certificate before the
  // connection. UNAUTHENTICATED for a wrong, revoked or expired one, and for TLS without any of
  // them. For a credential of munge it asks munged, and fails as Munge::Verify() does. A user
  // whose number is in a range of /etc/subuid is the owner of the range. A certificate counts until
  // it expires, and as long as the client CA vouches for it. A job's
  // credential makes its bearer a reporter for that job until the job ends.
  absl::StatusOr<Principal> Identify(const Caller& caller) const;

  // OK, or PERMISSION_DENIED that says which role is missing.
  static absl::Status Check(const Principal& principal, const Rule& rule);

  // Whether a stream may go on: UNAUTHENTICATED if the principal's token or certificate was revoked
  // or expired, its job has ended, or Slurm's key or the client CA is another one now.
  // PERMISSION_DENIED if `roles` or the file of tokens has taken its role away or made it less.
  absl::Status CheckAgain(const Principal& principal) const;

  // Of a user of a Unix socket, with the owner that OwnerOf() gives: the lesser one of both. A
  // container of an operator is no operator.
  Role RoleOf(uid_t user, uid_t owner, absl::Span<const gid_t> groups) const;
  // Whether it sees every machine. Operators do, and everybody if the site has no projects.
  bool SeesAllMachines(const Principal& principal) const;
  // Whether it sees this machine: one of no project, or of a project whose member it is.
  bool SeesMachine(const Principal& principal, const std::string& machine) const;

  // Who owns the range of subordinate users that has this one; else the user itself, also if
  // `roles` names it. May wait for the system's database.
  uid_t OwnerOf(uid_t user) const;

  // The name under which gRPC must know a connection of this user, so that Identify() knows its
  // calls. No client can choose it: it has random digits that never leave this process.
  std::string NameOfUser(uid_t user, uid_t owner, absl::Span<const gid_t> groups,
                         const ConnectionId& connection = {}) const;

  Tokens& tokens() const { return *tokens_; }
  accounts::SubordinateUsers& subordinate_users() const { return *subordinate_users_; }
  // Null: there is none.
  SlurmKey* slurm_key() const { return slurm_key_.get(); }
  // Null: no credential of a job counts.
  EndedJobs* ended_jobs() const { return ended_jobs_.get(); }

 private:
  struct NumberedPolicy {
    Policy policy;
    int64_t number;  // of policies since the start
  };

  Access(Policy policy, std::unique_ptr<Tokens> tokens, std::unique_ptr<SlurmKey> slurm_key,
         std::unique_ptr<Munge> munge, std::unique_ptr<EndedJobs> ended_jobs, GroupsOf groups_of,
         const std::string& subordinate_users_path, std::string prefix)
      : policy_(std::make_shared<const NumberedPolicy>(NumberedPolicy{std::move(policy), 1})),
        tokens_(std::move(tokens)),
        slurm_key_(std::move(slurm_key)),
        munge_(std::move(munge)),
        ended_jobs_(std::move(ended_jobs)),
        groups_of_(std::move(groups_of)),
        subordinate_users_(std::make_unique<accounts::SubordinateUsers>(subordinate_users_path)),
        user_prefix_(std::move(prefix)) {}

  // The user behind NameOfUser()'s prefix; nullopt: no such name.
  std::optional<Principal> IdentifyUser(absl::string_view name) const;
  // What `roles`, or the file of tokens, says now of a principal that it knows.
  Role RoleOf(const Principal& principal) const;
  bool IsMember(const Project& project, const Principal& principal) const;
  // As the file says now; nullopt: there is none any more.
  std::optional<Token> TokenOf(const Principal& principal) const;
  absl::StatusOr<Principal> IdentifyToken(absl::string_view authorization) const;
  absl::StatusOr<Principal> IdentifyCertificate(const Caller& caller) const;
  absl::Status CheckCertificate(absl::string_view chain_pem) const;
  Principal IdentifySlurmUser(const SlurmKey::Bearer& bearer) const;
  absl::StatusOr<Principal> IdentifyMunge(absl::string_view credential,
                                          absl::string_view method) const;
  absl::StatusOr<Principal> IdentifyJob(const Munge::Job& job) const;

  std::atomic<std::shared_ptr<const NumberedPolicy>> policy_;
  const std::unique_ptr<Tokens> tokens_;
  const std::unique_ptr<SlurmKey> slurm_key_;
  const std::unique_ptr<Munge> munge_;
  const std::unique_ptr<EndedJobs> ended_jobs_;
  const GroupsOf groups_of_;
  const TlsFiles* tls_files_ = nullptr;
  const std::unique_ptr<accounts::SubordinateUsers> subordinate_users_;
  const std::string user_prefix_;  // of the names of users' connections
};

}  // namespace cox::access

#endif  // COX_ACCESS_ACCESS_H_
