#include "agent/stream/estimator.h"

#include <algorithm>

#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr size_t kTimingsPerRank = 4;
constexpr size_t kMaxTimings = 256;

}  // namespace

Estimator EstimatorOf(int32_t collective) {
  using enum domain::Collective;
  switch (static_cast<domain::Collective>(collective)) {
    case kBcast:
    case kScatter:
      return Estimator::kGreatestMean;
    case kScan:
    case kExscan:
    case kReduce:
    case kGather:
    case kGatherv:
    case kScatterv:
      return Estimator::kMean;
    case kAllgather:
    case kAllgatherv:
    case kAllreduce:
    case kAlltoall:
    case kAlltoallv:
    case kAlltoallw:
    case kBarrier:
    case kReduceScatter:
    case kReduceScatterBlock:
      return Estimator::kLowQuantile;
  }
  return Estimator::kMean;
}

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
