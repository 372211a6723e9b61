// Sums up what the ranks of a node timed: an entry per (collective, communicator size, block,
// element, number), whatever the number of ranks. Which of their times is the collective's:
// estimator.h.
//
// A low quantile needs enough timings to have the last rank's among them. What a window has too few
// of is held back and goes out with a later window: when there are enough, after kMaxWindowsHeld or
// kMaxHeld_s, or at the end.
//
// Synchronised samples are exact: their mean is reported, as it comes, beside the passive timings,
// which say how often something is called; which of the two to believe is the daemon's to judge.
//
// One thread. Bounded: what exceeds kMaxKeys keys is counted as dropped, of a key's timings a
// random kMaxTimings are kept.
#ifndef COX_AGENT_STREAM_WINDOW_H_
#define COX_AGENT_STREAM_WINDOW_H_

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "agent/job/stream.h"

namespace cox::agent {

struct WindowKey {
  int32_t collective;
  int32_t ranks;
  int64_t block_bytes;
  int64_t type_bytes;
  bool synchronised = false;  // from synchronised samples
  int32_t number = 0;         // what the library was told, 0: nothing
  friend bool operator<(const WindowKey& a, const WindowKey& b) {
    return std::tie(a.collective, a.ranks, a.block_bytes, a.type_bytes, a.synchronised, a.number) <
           std::tie(b.collective, b.ranks, b.block_bytes, b.type_bytes, b.synchronised, b.number);
  }
};

struct WindowEntry {
  WindowKey key;
  int64_t count;          // timings of all ranks
  double time_s;          // what stands for the collective, see estimator.h
  double stddev_s;        // of the timings: all of them under a low quantile, else of the rank that
                          // stands for the collective; 0 for a single one
  const char* statistic;  // what time_s is of them: "mean", or "min" for a low quantile
};

class Window {
 public:
  static constexpr size_t kMaxKeys = 4096;
  static constexpr size_t kMaxTimings = 1024;
  static constexpr int kMaxWindowsHeld = 10;
  static constexpr double kMaxHeld_s = 60;

  // A rank's rows, each key at most once per call and rank.
  void Add(const CoxStreamRow* rows, size_t count);

  struct Contents {
    std::vector<WindowEntry> entries;
    int64_t dropped_count;
  };
  // Ends a window that lasted so long: what was added and not held back; with `all`, that too.
  Contents Take(bool all, double lasted_s);

 private:
  struct Sum {
    int64_t count = 0;
    double time_s = 0;       // the mean that stands, under the other estimators than low quantiles
    double sum_ns = 0;       // of all timings, or of the rank that stands
    double squares_ns2 = 0;  // the same
    int64_t summed_count = 0;       // timings in these sums
    std::vector<float> timings_ns;  // for a low quantile
    int64_t offered_count = 0;      // timings that timings_ns is a sample of
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
