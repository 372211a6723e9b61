// The job's decision table, in the numbers that a running library is told: from the daemon, or
// where it does not answer, from the cache that `cox run` has, too. Blocks at most the question's
// limit and what the disk takes; any thread.
#ifndef COX_AGENT_STREAM_DECIDE_H_
#define COX_AGENT_STREAM_DECIDE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/job/stream.h"
#include "agent/stream/wire/tuning_wire.h"

namespace cox::agent {

struct Decided {
  std::vector<CoxStreamDecision> decisions;  // ascending per collective
  std::string remark;                        // for people; "" where nothing
};

// Reductions are asked about as commutative ones: only those are steered. Errors: FindAnswer's.
absl::StatusOr<Decided> Decide(const CoxStreamQuestion& question);

// The decisions of rows; what the library cannot be told while it runs is left to it.
std::vector<CoxStreamDecision> DecisionsOf(const std::string& library,
                                           const std::vector<TuningRow>& rows);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_DECIDE_H_
