// Estimates what tuning saves on each machine, for metrics, without a delay for those who read
// them.
//
// An estimate reads up to 200,000 observations. So a reader gets the last estimate, and starts a
// new one on the pool: of one machine at a time, and of the same machine at most every five
// minutes. Any thread.
#ifndef COX_SERVICE_HISTORY_SAVINGS_WATCH_H_
#define COX_SERVICE_HISTORY_SAVINGS_WATCH_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/blocking_pool.h"
#include "store/store.h"

namespace cox::service {

// What tuned calls of the last 24 hours have saved, in seconds; negative: lost.
struct SavedTime {
  double saved_s = 0;
  // 90 % interval; nullopt: too few canaries are independent of one another.
  struct Interval {
    double low_s = 0;
    double high_s = 0;
  };
  std::optional<Interval> interval;
};

class SavingsWatch {
 public:
  // Both outlive the work on the pool.
  SavingsWatch(store::Store* store, daemon::BlockingPool* pool) : store_(store), pool_(pool) {}

  // The last estimates by machine; none for a machine without tuned calls that canaries were
  // compared with. Starts the next estimate if one is due at `now_us` (microseconds since the Unix
  // epoch). Machines that `machines` lacks are forgotten.
  std::map<std::string, SavedTime> Read(const std::vector<store::MachineState>& machines,
                                        int64_t now_us);

 private:
  struct Estimate {
    int64_t at_us = 0;  // when it was started
    std::optional<SavedTime> saved;
  };
  void Start(const std::string& machine, int64_t now_us);

  store::Store* const store_;
  daemon::BlockingPool* const pool_;
  std::mutex mutex_;
  bool is_busy_ = false;
  std::map<std::string, Estimate> estimates_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_SAVINGS_WATCH_H_
