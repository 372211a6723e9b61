// The collective operations and their names, on the wire, in files and in the database.
//
// Header only and free of dependencies, because the agent, which links nothing but libc, shares it.
// Any thread, cannot fail.
#ifndef COX_DOMAIN_COLLECTIVE_H_
#define COX_DOMAIN_COLLECTIVE_H_

#include <cstdint>

namespace cox::domain {

enum class Collective : uint8_t {
  kAlltoall,
  kBcast,
  kAllreduce,
  kAllgather,
  kScatter,
  kGather,
  kReduce,
  kBarrier,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kAlltoallv,
  kAlltoallw,
  kAllgatherv,
  kScatterv,
  kGatherv,
};
inline constexpr int kCollectiveCount = 17;

inline constexpr const char* kCollectiveNames[kCollectiveCount] = {
    "alltoall", "bcast",   "allreduce", "allgather",      "scatter",
    "gather",   "reduce",  "barrier",   "reduce_scatter", "reduce_scatter_block",
    "scan",     "exscan",  "alltoallv", "alltoallw",      "allgatherv",
    "scatterv", "gatherv",
};

constexpr const char* CollectiveName(Collective collective) {
  return kCollectiveNames[static_cast<int>(collective)];
}

// Whether block_bytes is the whole vector of a rank (or nothing), not a block for one peer.
constexpr bool IsOneVector(Collective collective) {
  return collective == Collective::kBcast || collective == Collective::kAllreduce ||
         collective == Collective::kReduce || collective == Collective::kBarrier ||
         collective == Collective::kScan || collective == Collective::kExscan;
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_COLLECTIVE_H_
