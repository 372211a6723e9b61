// Gets the job's decision table and converts it to the numbers that a running library takes. The
// table comes from the daemon, or from the cache of `cox run` if the daemon does not answer. Blocks
// at most the question's limit plus the disk's time; any thread.
#ifndef COX_AGENT_STREAM_DECIDE_H_
#define COX_AGENT_STREAM_DECIDE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/job/stream.h"

namespace cox::agent {

struct Decided {
  std::vector<CoxStreamDecision> decisions;  // ascending per collective
  std::string remark;                        // for the log; "": nothing to say
};

// Asks for commutative reductions, because only those are steered. Errors: FindAnswer's.
absl::StatusOr<Decided> Decide(const CoxStreamQuestion& question);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_DECIDE_H_
