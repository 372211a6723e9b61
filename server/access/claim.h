// Decides under which job and source coxd stores a principal's reports. Pure; any thread.
//
// A reporter is not trusted: its reports must not mix with those of others. So coxd stores its job
// with its own name in front ("uid:1000/4711"), and its name as the source. Operators import the
// measurements of others, so coxd stores the job and source that they state.
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

// The job and source to store for a report that states these. PERMISSION_DENIED if the principal's
// token is for another job.
absl::StatusOr<Claim> ClaimOf(const Principal& principal, const std::string& job,
                              const std::string& source);

// The stored name of the job that `principal` asks about: for a reporter its own job, unless `job`
// names another principal ("uid:1000/4711").
std::string JobMeant(const Principal& principal, const std::string& job);

}  // namespace cox::access

#endif  // COX_ACCESS_CLAIM_H_
