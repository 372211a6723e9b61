// Credentials of munge: munged of this host says which user of the cluster made one, and whether
// somebody used it before.
//
// Any thread. munged answers in 0.1 ms. If it hangs, one call waits for it and all others fail at
// once.
#ifndef COX_ACCESS_MUNGE_H_
#define COX_ACCESS_MUNGE_H_

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::access {

class Munge {
 public:
  struct Bearer {
    uid_t user = 0;
    gid_t group = 0;  // its own one
  };

  // `names`: by which clients call this daemon; a credential for another name is refused.
  // `socket`: of munged; "": where libmunge expects it.
  Munge(std::vector<std::string> names, std::string socket)
      : names_(std::move(names)), socket_(std::move(socket)) {}

  // Who made the credential for this method. UNAUTHENTICATED: it is broken, was used before, has
  // expired, is for another user, daemon or method. UNAVAILABLE: munged does not answer.
  absl::StatusOr<Bearer> Verify(absl::string_view credential, absl::string_view method);

 private:
  // With turn_ held.
  absl::StatusOr<Bearer> Decode(const std::string& credential, absl::string_view method) const;

  const std::vector<std::string> names_;
  const std::string socket_;
  std::timed_mutex turn_;
  std::atomic<bool> is_stuck_{false};  // who has the turn has had it for too long
};

}  // namespace cox::access

#endif  // COX_ACCESS_MUNGE_H_
