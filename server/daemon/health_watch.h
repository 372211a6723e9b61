// Checks the store every second and reports changes of its health. A check that does not end within
// `most_check` counts as failed.
//
// One thread of its own, which calls `tell`. Stop() and the destructor: any other thread.
#ifndef COX_DAEMON_HEALTH_WATCH_H_
#define COX_DAEMON_HEALTH_WATCH_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
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
  void Loop();
  // The outcome of a check. Tells if it differs from the last one.
  void Note(const absl::Status& status);

  store::Store* const store_;
  const Tell tell_;
  const std::chrono::milliseconds most_check_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::atomic<bool> is_healthy_{true};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HEALTH_WATCH_H_
