// Who is calling. Pure data; any thread.
#ifndef COX_ACCESS_PRINCIPAL_H_
#define COX_ACCESS_PRINCIPAL_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "access/role.h"
#include "domain/principal_name.h"

namespace cox::access {

// A connection of a Unix socket.
struct ConnectionId {
  int fd = -1;          // -1: it is none
  uint64_t cookie = 0;  // the kernel's: tells it from later ones with this descriptor

  bool is_known() const { return fd >= 0; }
};

struct Principal {
  enum class Kind {
    kAnonymous,    // nothing is known of it
    kUser,         // the kernel says which user (Unix socket), or munge
    kToken,        // bears a token
    kCertificate,  // showed a certificate of the client CA
    kSlurmUser,    // bears a token of Slurm
    kJob,          // root of its node vouches for the user and the job, by munge
  };
  Kind kind = Kind::kAnonymous;
  // "anonymous", "uid:1000", "token:ci", "cert:node1.example", "slurm:ada". No two principals share
  // a name. It has no '/'.
  std::string name = std::string(domain::kAnonymous);
  Role role = Role::kNone;
  std::string job;                   // the only job that it may report for; "": any
  int64_t token_create_time_us = 0;  // of kToken and kJob: tells those of one name apart
  int64_t expire_time_us = 0;        // of kSlurmUser and kJob
  int64_t key_number = 0;            // of kSlurmUser: of Slurm's key
  int64_t job_number = 0;            // of kJob: Slurm's
  // By these `roles` finds the role again.
  uid_t user = 0;                       // of kUser and kJob
  uid_t owner = 0;                      // of kUser: who owns the range of `user`; else `user`
  gid_t group = 0;                      // of kUser by munge, and of kJob
  std::string plain_name{};             // of kCertificate and kSlurmUser: `name` without escapes
  std::string certificate_chain_pem{};  // of kCertificate
  ConnectionId connection{};            // of kUser over a Unix socket
};

}  // namespace cox::access

#endif  // COX_ACCESS_PRINCIPAL_H_
