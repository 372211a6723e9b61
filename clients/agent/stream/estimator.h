// Which of the times that ranks saw stands for the collective's time (design: from the last rank's
// entry to the last rank's leaving), where ranks arrive unevenly and nobody may communicate to
// find out when.
//
// Where no rank can leave before the last one has entered (allgather, allreduce, alltoall, barrier,
// reduce_scatter, ...) a timing is the collective's own time plus what the rank waited for the
// last. If any of p ranks is equally likely to be the last, one timing in p has no wait in it: the
// timings' 1/p quantile is the largest that has none. What the last rank sees is a little less than
// the whole, because the others have begun without it; the quantile kLastShare / p makes up for
// that (chosen on measured arrivals, docs/agent.md).
//
// Elsewhere (bcast, scatter: receivers; gather, reduce, scan: one rank) a rank waits for one
// other or is waited for by one other, as likely too long as too short: the mean, and of several
// receivers the last to leave.
//
// Pure, any thread, cannot fail.
#ifndef COX_AGENT_STREAM_ESTIMATOR_H_
#define COX_AGENT_STREAM_ESTIMATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/timing/collectives.h"

namespace cox::agent {

enum class Estimator : uint8_t {
  kMean,          // of the single rank that reports
  kGreatestMean,  // of the ranks' means
  kLowQuantile,   // of all ranks' timings together
};

// By the collective's number.
Estimator EstimatorOf(int32_t collective);

inline constexpr double kLastShare = 1.5;

// How many timings a low quantile among so many ranks (>= 1) should have: some of them must be the
// last rank's. Held down for large communicators, where it comes to be the minimum.
size_t TimingsForLowQuantile(int64_t ranks);

// The kLastShare / ranks quantile of the timings (not empty; reordered), at most their median;
// between two timings it is interpolated.
double LowQuantile(std::vector<float>* timings, int64_t ranks);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_ESTIMATOR_H_
