// Sums up what the ranks of a node timed in one window: an entry per (collective, communicator
// size, block, element), whatever the number of ranks.
//
// Which of the ranks' times is the collective's? The design wants the time from the last rank's
// entry to the last rank's leaving. Where no rank can leave before the last one has entered
// (allreduce, alltoall, barrier, ...) the rank that waits least was the last to enter: the smallest
// of the ranks' mean times comes closest, and a slow rank's lateness does not count as
// communication. Where one rank sends to all (bcast, scatter) ranks leave as the data arrive: the
// largest mean is that of the last one to leave. In the other collectives a single rank reports.
//
// One thread. Bounded: what exceeds kMaxKeys keys in a window is counted as dropped.
#ifndef COX_AGENT_STREAM_WINDOW_H_
#define COX_AGENT_STREAM_WINDOW_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "agent/stream.h"

namespace cox::agent {

struct WindowKey {
  int32_t collective;
  int32_t ranks;
  int64_t block_bytes;
  int64_t type_bytes;
  friend bool operator<(const WindowKey& a, const WindowKey& b) {
    return std::tie(a.collective, a.ranks, a.block_bytes, a.type_bytes) <
           std::tie(b.collective, b.ranks, b.block_bytes, b.type_bytes);
  }
};

struct WindowEntry {
  WindowKey key;
  int64_t count;    // timings of all ranks
  double time_s;    // mean of the rank that stands for the collective, see above
  double stddev_s;  // of that rank's timings; 0 for a single one
};

class Window {
 public:
  static constexpr size_t kMaxKeys = 4096;

  // A rank's rows, each key at most once per call and rank.
  void Add(const CoxStreamRow* rows, size_t count);

  struct Contents {
    std::vector<WindowEntry> entries;
    int64_t dropped_count;
  };
  // What was added since the last call.
  Contents Take();

 private:
  struct Sum {
    int64_t count = 0;
    double time_s = 0;
    double stddev_s = 0;
  };
  std::map<WindowKey, Sum> sums_;
  int64_t dropped_count_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WINDOW_H_
