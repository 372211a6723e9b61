// Fetches the job's decision table on rank 0, through the plugin, which has gRPC and the cache on
// disk. A separate thread with all signals blocked does it, so MPI_Init never waits longer than its
// limit, even when the daemon or the disk hangs.
//
// Call StartFetch and then FinishFetch, once each per process, from the thread that runs MPI_Init.
#ifndef COX_AGENT_STEERING_FETCH_H_
#define COX_AGENT_STEERING_FETCH_H_

#include <cstdint>

#include "agent/job/process.h"
#include "agent/steering/decisions.h"

namespace cox::agent {

// Extra time beyond Settings::limit_ns, for the cache's answer.
inline constexpr uint64_t kFetchGraceNs = 100'000'000;

// Asks for the table of `job`.
void StartFetch(const JobDescription& job);

// Waits for the limit plus kFetchGraceNs at most. False, with a log line, when no table
// arrived; `decisions` is unchanged then.
bool FinishFetch(Decisions* decisions);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_FETCH_H_
