// Credentials of munge: munged of this host says which user of the cluster made one, and whether
// somebody used it before.
//
// Any thread. munged answers in 0.1 ms. If it hangs, one call waits for it and all others fail at
// once.
#ifndef COX_ACCESS_MUNGE_H_
#define COX_ACCESS_MUNGE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::access {

class Munge {
 public:
  // What root of a node says: this user runs this job of Slurm.
  struct Job {
    int64_t number = 0;
    uid_t user = 0;
    gid_t group = 0;
    int64_t create_time_us = 0;  // when root said so
    int64_t end_time_us = 0;     // of the job
  };
  struct Bearer {
    uid_t user = 0;
    gid_t group = 0;  // its own one
    std::optional<Job> job;
  };

  // `names`: by which clients call this daemon; a credential for another name is refused.
  // `socket`: of munged; "": where libmunge expects it.
  Munge(std::vector<std::string> names, std::string socket)
      : names_(std::move(names)), socket_(std::move(socket)) {}

  // Who made the credential for this method, and the job whose credential is in it.
  // UNAUTHENTICATED: it is broken, was used before, has expired, is for another user, daemon or
  // method; or the job is another user's. UNAVAILABLE: munged does not answer.
  absl::StatusOr<Bearer> Verify(absl::string_view credential, absl::string_view method);

  // Of a job's credential, which is good again and again until the job ends: the caller compares
  // the end with its clock. UNAUTHENTICATED: it is broken, is for another user, or root did not
  // make it. UNAVAILABLE: munged does not answer.
  absl::StatusOr<Job> VerifyJob(absl::string_view credential);

 private:
  struct Decoded {
    std::string payload;
    uid_t user = 0;
    gid_t group = 0;
    int64_t create_time_us = 0;
  };
  enum class Use { kOnce, kAgain };  // kAgain: munge's own lifetime does not count either

  absl::StatusOr<Decoded> Ask(absl::string_view credential, Use use);
  // With turn_ held.
  absl::StatusOr<Decoded> Decode(const std::string& credential, Use use) const;

  const std::vector<std::string> names_;
  const std::string socket_;
  std::timed_mutex turn_;
  std::atomic<bool> is_stuck_{false};  // who has the turn has had it for too long
};

}  // namespace cox::access

#endif  // COX_ACCESS_MUNGE_H_
