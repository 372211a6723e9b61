// The collectives that the agent times, and their names on the wire. Shared by the agent and by its
// streaming plugin; no MPI header, any thread, cannot fail.
#ifndef COX_AGENT_COLLECTIVES_H_
#define COX_AGENT_COLLECTIVES_H_

#include <cstdint>

namespace cox::agent {

enum class Collective : uint8_t {
  kAllgather,
  kAllgatherv,
  kAllreduce,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kBarrier,
  kBcast,
  kExscan,
  kGather,
  kGatherv,
  kReduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kScatter,
  kScatterv,
};
inline constexpr int kCollectiveCount = 17;

inline constexpr const char* kCollectiveNames[kCollectiveCount] = {
    "allgather",      "allgatherv",
    "allreduce",      "alltoall",
    "alltoallv",      "alltoallw",
    "barrier",        "bcast",
    "exscan",         "gather",
    "gatherv",        "reduce",
    "reduce_scatter", "reduce_scatter_block",
    "scan",           "scatter",
    "scatterv",
};

// Whether our own library (cox/coll.h) can run it in the place of the MPI library: those with a
// size that all ranks know.
constexpr bool CanBeReplaced(Collective collective) {
  return collective == Collective::kAlltoall || collective == Collective::kBcast ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

}  // namespace cox::agent

#endif  // COX_AGENT_COLLECTIVES_H_
