// Decides under which job and source coxd stores a principal's reports. Pure; any thread.
//
// A reporter is not trusted: its reports must not mix with those of others. So coxd stores its job
// with its own name in front ("uid:1000/4711"), and its name as the source. Operators import the
// measurements of others, so coxd stores the job and source that they state. A credential of a job
// of Slurm is good for the names that begin like that job: other names are put behind it.
#ifndef COX_ACCESS_CLAIM_H_
#define COX_ACCESS_CLAIM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "access/principal.h"

namespace cox::access {

struct Claim {
  std::string job;     // "": none
  std::string source;  // "": none
};

// The job and source to store for a report that states these. A report that states no job is of the
// job that the principal's token is for. PERMISSION_DENIED if the principal has a token for another
// job. A credential of Slurm's job 4711 reports for "slurm-4711", "slurm-4711.0" and
// "slurm-4711@node1"; what it says of another JOB counts as "slurm-4711.JOB".
absl::StatusOr<Claim> ClaimOf(const Principal& principal, const std::string& job,
                              const std::string& source);

// The stored name of the job that `principal` asks about: for a reporter its own job, unless `job`
// names another principal ("uid:1000/4711").
std::string JobMeant(const Principal& principal, const std::string& job);

// Whether the stored job or source is the principal's own. Where the site hides the jobs of others
// (hide-foreign-jobs), a viewer and a reporter see these names only. The jobs of a relay's users
// ("token:login1/uid:1000/4711") are not the relay's own: it asks for all of them.
bool IsOwnJob(const Principal& principal, absl::string_view stored_job);
bool IsOwnSource(const Principal& principal, absl::string_view stored_source);

}  // namespace cox::access

#endif  // COX_ACCESS_CLAIM_H_
