// Sums the timings of a node's ranks, for any number of ranks. It has one entry per collective,
// communicator size, block, element, number and origin. estimator.h says which timings give the
// collective's time.
//
// A low quantile needs enough timings to include some of the last rank. A key with too few is held
// back until a later window: when there are enough, after kMaxWindowsHeld or kMaxHeld_s, or at the
// end.
//
// Synchronised samples are exact. Their mean is reported at once, beside the passive timings, which
// say how often a call is made; the daemon judges which of the two to believe.
//
// One thread. Bounded: timings beyond kMaxKeys keys count as dropped; of one key's timings a random
// kMaxTimings are kept.
#ifndef COX_AGENT_STREAM_WINDOW_H_
#define COX_AGENT_STREAM_WINDOW_H_

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "agent/job/stream.h"
#include "agent/timing/table.h"

namespace cox::agent {

struct WindowKey {
  int32_t collective;
  int32_t ranks;
  int64_t block_bytes;
  int64_t type_bytes;
  Origin origin = Origin::kPassive;
  int32_t number = 0;  // the selected algorithm, 0: none
  friend bool operator<(const WindowKey& a, const WindowKey& b) {
    return std::tie(a.collective, a.ranks, a.block_bytes, a.type_bytes, a.origin, a.number) <
           std::tie(b.collective, b.ranks, b.block_bytes, b.type_bytes, b.origin, b.number);
  }
};

struct WindowEntry {
  WindowKey key;
  int64_t count;    // timings of all ranks
  double time_s;    // of the collective, see estimator.h
  double stddev_s;  // of all timings for a low quantile, else of the rank that was chosen; 0 for
                    // a single timing
  const char* statistic;  // "mean", or "min" for a low quantile
};

class Window {
 public:
  static constexpr size_t kMaxKeys = 4096;
  static constexpr size_t kMaxTimings = 1024;
  static constexpr int kMaxWindowsHeld = 10;
  static constexpr double kMaxHeld_s = 60;

  // Adds a rank's rows, each key at most once per call.
  void Add(const CoxStreamRow* rows, size_t count);

  struct Contents {
    std::vector<WindowEntry> entries;
    int64_t dropped_count;
  };
  // Ends a window of `lasted_s` seconds: returns its entries, with `all` also those held back.
  Contents Take(bool all, double lasted_s);

 private:
  struct Sum {
    int64_t count = 0;
    double time_s = 0;              // the largest mean so far; not used by low quantiles
    double sum_ns = 0;              // of all timings, or of the rank with that mean
    double squares_ns2 = 0;         // of the same timings
    int64_t summed_count = 0;       // timings in these sums
    std::vector<float> timings_ns;  // for a low quantile
    int64_t offered_count = 0;      // timings that timings_ns was drawn from
    int windows_held = 0;
    double held_s = 0;
  };
  void Pool(const CoxStreamRow& row, Sum* sum);
  void AddPassive(const CoxStreamRow& row, Sum* sum);
  static WindowEntry Conclude(const WindowKey& key, Sum* sum);

  std::map<WindowKey, Sum> sums_;
  std::minstd_rand random_;
  int64_t dropped_count_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WINDOW_H_
