#include "agent/stream/estimator.h"

#include <algorithm>

namespace cox::agent {
namespace {

constexpr Estimator kEstimators[] = {
    Estimator::kLowQuantile,   // allgather
    Estimator::kLowQuantile,   // allgatherv
    Estimator::kLowQuantile,   // allreduce
    Estimator::kLowQuantile,   // alltoall
    Estimator::kLowQuantile,   // alltoallv
    Estimator::kLowQuantile,   // alltoallw
    Estimator::kLowQuantile,   // barrier
    Estimator::kGreatestMean,  // bcast
    Estimator::kMean,          // exscan
    Estimator::kMean,          // gather
    Estimator::kMean,          // gatherv
    Estimator::kMean,          // reduce
    Estimator::kLowQuantile,   // reduce_scatter
    Estimator::kLowQuantile,   // reduce_scatter_block
    Estimator::kMean,          // scan
    Estimator::kGreatestMean,  // scatter
    Estimator::kMean,          // scatterv
};
static_assert(std::size(kEstimators) == kCollectiveCount);

constexpr size_t kTimingsPerRank = 4;
constexpr size_t kMaxTimings = 256;

}  // namespace

Estimator EstimatorOf(int32_t collective) { return kEstimators[collective]; }

size_t TimingsForLowQuantile(int64_t ranks) {
  return std::min(kTimingsPerRank * static_cast<size_t>(ranks), kMaxTimings);
}

double LowQuantile(std::vector<float>* timings, int64_t ranks) {
  const double level = std::min(kLastShare / static_cast<double>(ranks), 0.5);
  const double place = level * static_cast<double>(timings->size() - 1);
  const auto below = timings->begin() + static_cast<ptrdiff_t>(place);
  std::nth_element(timings->begin(), below, timings->end());
  const auto above = std::min_element(below + 1, timings->end());
  if (above == timings->end()) return static_cast<double>(*below);
  const double fraction = place - static_cast<double>(static_cast<size_t>(place));
  return static_cast<double>(*below) + fraction * (static_cast<double>(*above) - *below);
}

}  // namespace cox::agent
