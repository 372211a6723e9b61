// Under which names a principal's reports are kept. Pure; any thread.
//
// A reporter is not trusted: what it says of itself must not meet what others say. So its job is
// kept under its own name ("uid:1000/4711"), and its source is its name. Operators bring the
// measurements of others: their words count as they are.
#ifndef COX_ACCESS_CLAIM_H_
#define COX_ACCESS_CLAIM_H_

#include <string>

#include "absl/status/statusor.h"
#include "access/principal.h"

namespace cox::access {

struct Claim {
  std::string job;     // "": none
  std::string source;  // "": none
};

// Of a report that states this job and source. PERMISSION_DENIED if the principal's token is for
// another job.
absl::StatusOr<Claim> ClaimOf(const Principal& principal, const std::string& job,
                              const std::string& source);

// The job that `principal` means by `job` when it asks: of a reporter its own one, unless it names
// whose ("uid:1000/4711").
std::string JobMeant(const Principal& principal, const std::string& job);

}  // namespace cox::access

#endif  // COX_ACCESS_CLAIM_H_
