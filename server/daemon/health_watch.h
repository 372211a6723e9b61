// Checks the store every second and reports changes of its health. A check that does not end within
// `most_check` counts as failed: a disk that hangs holds up the check, and must not hold up what is
// told of it.
//
// Two threads of its own, which call `tell`, one at a time. Stop() and the destructor: any other
// thread.
#ifndef COX_DAEMON_HEALTH_WATCH_H_
#define COX_DAEMON_HEALTH_WATCH_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "store/store.h"

namespace cox::daemon {

class HealthWatch {
 public:
  using Tell = std::function<void(bool is_healthy)>;

  // `store` outlives it. The store counts as healthy at first.
  HealthWatch(store::Store* store, Tell tell,
              std::chrono::milliseconds most_check = std::chrono::seconds(20));
  ~HealthWatch();
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  // As the last check found it. Any thread.
  bool is_healthy() const { return is_healthy_; }

  // Ends the checks; `tell` is not called afterwards.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;
  void Loop();
  // Notes that a check does not end.
  void WatchChecks();
  // The outcome of a check, with mutex_ held. Tells if it differs from the last one.
  void Note(const absl::Status& status);

  store::Store* const store_;
  const Tell tell_;
  const std::chrono::milliseconds most_check_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;                           // guarded by mutex_
  std::optional<Clock::time_point> check_begin_;  // guarded by mutex_; none: no check is under way
  std::atomic<bool> is_healthy_{true};
  std::thread thread_;  // last: both start when all else is there
  std::thread clock_thread_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HEALTH_WATCH_H_
