// cox doctor --library: runs jobs to test whether this computer's MPI does what a tuning file says.
// obedience.h has the method.
#ifndef COX_CLI_RUN_PROVE_OBEDIENCE_H_
#define COX_CLI_RUN_PROVE_OBEDIENCE_H_

#include <string>

#include "absl/status/status.h"
#include "cli/session.h"

namespace cox::cli {

struct ObedienceOptions {
  std::string library;       // "openmpi-4.1"
  std::string launcher;      // empty: the MPI's own mpirun
  double job_limit_s = 120;  // > 0; a job that takes longer is ended
};

// Prints a line per collective. Needs no daemon. UNKNOWN if a collective does not obey or its test
// is unclear; NOT_FOUND: no such library, or no launcher or cox-bench for it; UNIMPLEMENTED: no
// test for it; ABORTED: the job fails even without a trap (its own message is on err()); FAILED_
// PRECONDITION: cox-bench is built with another library; CANCELLED: a signal came.
absl::Status ProveObedience(Session& session, const ObedienceOptions& options);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_PROVE_OBEDIENCE_H_
