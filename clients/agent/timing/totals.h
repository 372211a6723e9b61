// Totals that are counted and not learned from: calls whose time is not a collective's own, and
// messages between two ranks. Non-blocking calls overlap the program's work from start to
// completion; neighbour collectives depend on a topology. Each rank sums in its table; the node's
// first rank adds the sums and logs them when the job ends (COX_LOG=1).
//
// Any thread of any process that maps the table. Cannot fail.
#ifndef COX_AGENT_TIMING_TOTALS_H_
#define COX_AGENT_TIMING_TOTALS_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

// A non-blocking collective has its collective's number.
inline constexpr int kFirstNeighbour = domain::kCollectiveCount;
enum class Neighbour : uint8_t { kAllgather, kAllgatherv, kAlltoall, kAlltoallv, kAlltoallw };
inline constexpr int kFirstNonblockingNeighbour = kFirstNeighbour + 5;
inline constexpr int kMessages = kFirstNonblockingNeighbour + 5;
inline constexpr int kTotalCount = kMessages + 1;

inline constexpr const char* kTotalNames[kTotalCount] = {
    "ialltoall",
    "ibcast",
    "iallreduce",
    "iallgather",
    "iscatter",
    "igather",
    "ireduce",
    "ibarrier",
    "ireduce_scatter",
    "ireduce_scatter_block",
    "iscan",
    "iexscan",
    "ialltoallv",
    "ialltoallw",
    "iallgatherv",
    "iscatterv",
    "igatherv",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "ineighbor_allgather",
    "ineighbor_allgatherv",
    "ineighbor_alltoall",
    "ineighbor_alltoallv",
    "ineighbor_alltoallw",
    "messages",
};
static_assert([] {
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    if (std::string_view(kTotalNames[i]).substr(1) != domain::kCollectiveNames[i]) return false;
  }
  return true;
}());

class Totals {
 public:
  struct Sum {
    uint64_t count;
    uint64_t amount;  // nanoseconds; kMessages: bytes
  };

  void Add(int total, uint64_t amount) {
    of_[total].count.fetch_add(1, std::memory_order_relaxed);
    of_[total].amount.fetch_add(amount, std::memory_order_relaxed);
  }
  Sum Of(int total) const {
    return {of_[total].count.load(std::memory_order_relaxed),
            of_[total].amount.load(std::memory_order_relaxed)};
  }

 private:
  struct Cell {
    std::atomic<uint64_t> count;
    std::atomic<uint64_t> amount;
  };
  Cell of_[kTotalCount];  // starts as zeros
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_TOTALS_H_
