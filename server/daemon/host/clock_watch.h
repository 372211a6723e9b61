// Notices that somebody has set the clock ahead. Pure; one thread.
#ifndef COX_DAEMON_HOST_CLOCK_WATCH_H_
#define COX_DAEMON_HOST_CLOCK_WATCH_H_

#include <cstdint>

namespace cox::daemon {

class ClockWatch {
 public:
  // Times in microseconds: `now_us` of the clock, since the Unix epoch; `steady_us` of one that
  // nobody sets.
  ClockWatch(int64_t now_us, int64_t steady_us) : now_us_(now_us), steady_us_(steady_us) {}

  // Whether the clock has gained more than an hour on the steady one since the last look. The time
  // then and the time now may be the wrong one. The next look compares with this one.
  bool WasSetAhead(int64_t now_us, int64_t steady_us) {
    const int64_t gained_us = (now_us - now_us_) - (steady_us - steady_us_);
    now_us_ = now_us;
    steady_us_ = steady_us;
    return gained_us > kMostGained_us;
  }

 private:
  static constexpr int64_t kMostGained_us = int64_t{3'600} * 1'000'000;

  int64_t now_us_;  // at the last look
  int64_t steady_us_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_CLOCK_WATCH_H_
