// Fetches the job's decision table on rank 0, through the plugin, which has gRPC and the cache on
// disk. A thread of its own does it, with all signals blocked, so that MPI_Init waits no longer
// than it was told, whatever hangs.
//
// StartFetch and then FinishFetch, once each per process, from the thread that runs MPI_Init.
#ifndef COX_AGENT_STEERING_FETCH_H_
#define COX_AGENT_STEERING_FETCH_H_

#include <cstdint>

#include "agent/job/process.h"
#include "agent/steering/decisions.h"

namespace cox::agent {

// What is waited beyond Settings::limit_ns for an answer from the cache.
inline constexpr uint64_t kFetchGraceNs = 100'000'000;

// The question is what DescribeJob says.
void StartFetch(const JobDescription& job);

// Waits at most the limit and kFetchGraceNs from StartFetch. False, with a log line, where there is
// no table; `decisions` is untouched then.
bool FinishFetch(Decisions* decisions);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_FETCH_H_
