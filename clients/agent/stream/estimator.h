// Estimates a collective's time from the ranks' timings, when ranks arrive unevenly and the agent
// may not communicate. The time runs from the last rank's entry to the last rank's exit.
//
// In allgather, allreduce, alltoall, barrier, reduce_scatter and the like no rank can leave before
// the last has entered. A timing there is the collective's time plus the rank's wait for the last
// rank. If each of p ranks is equally likely to be the last, one timing in p has no wait: the 1/p
// quantile is the largest of these. The last rank sees slightly less than the whole, because the
// others have begun without it; the quantile kLastShare / p corrects that (chosen on measured
// arrivals, docs/agent.md).
//
// In bcast and scatter the receivers report; in gather, reduce and scan one rank reports. There a
// rank waits for one other, or one other waits for it, so a timing is as likely too long as too
// short. The estimate is therefore the mean, and among several receivers the largest mean.
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

// The number of timings that a low quantile among `ranks` (>= 1) needs, so that some are the last
// rank's. Bounded for large communicators, where the quantile becomes the minimum.
size_t TimingsForLowQuantile(int64_t ranks);

// The kLastShare / ranks quantile of the timings (not empty; reordered), at most their median.
// Interpolates between two timings.
double LowQuantile(std::vector<float>* timings, int64_t ranks);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_ESTIMATOR_H_
