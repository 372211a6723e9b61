// Bounds how often an event is logged that a client can cause at will. Any thread.
#ifndef COX_DAEMON_HOST_LOG_LIMIT_H_
#define COX_DAEMON_HOST_LOG_LIMIT_H_

#include <cstdint>
#include <mutex>
#include <optional>

namespace cox::daemon {

class LogLimit {
 public:
  // At most `lines` (>= 1) in each interval.
  LogLimit(int64_t lines, int64_t interval_us) : lines_(lines), interval_us_(interval_us) {}

  // Whether a line may be logged now: the number of lines that were suppressed since the last one.
  // nullopt: suppress it.
  std::optional<int64_t> Admit(int64_t now_us) {
    const std::lock_guard lock(mutex_);
    if (now_us - start_us_ >= interval_us_ || now_us < start_us_) {
      start_us_ = now_us;
      count_ = 0;
    }
    if (++count_ > lines_) {
      ++suppressed_;
      return std::nullopt;
    }
    const int64_t suppressed = suppressed_;
    suppressed_ = 0;
    return suppressed;
  }

 private:
  const int64_t lines_;
  const int64_t interval_us_;
  std::mutex mutex_;
  int64_t start_us_ = 0;
  int64_t count_ = 0;
  int64_t suppressed_ = 0;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_LOG_LIMIT_H_
