// Keeps history from growing without end: sums up rows that are old or too many, in short steps,
// and gives their space back to the file system.
//
// One thread of its own. Stop() and the destructor: any other thread.
#ifndef COX_DAEMON_HOST_RETENTION_H_
#define COX_DAEMON_HOST_RETENTION_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace cox::daemon {

// About what a row takes in the database, with its index: 53 bytes in a file of 300,000 rows of 100
// scenarios, and some more with labels and larger ids.
inline constexpr int64_t kRowBytes = 64;

class Retention {
 public:
  struct Options {
    double age_s = 0;  // rows that were measured longer ago are old; 0: none
    int64_t machine_bytes =
        0;  // of the rows of a machine; the first rows beyond it are old; 0: none
  };
  // The last id of a machine's observations that nobody needs as a row any more.
  using NeededAfter = std::function<int64_t(const std::string& machine)>;

  // `store` outlives it.
  Retention(store::Store* store, const Options& options, NeededAfter needed_after);
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  // Sums up all old rows; how many. CANCELLED after Stop().
  absl::StatusOr<int64_t> RunOnce();
  void Stop();

 private:
  void Loop();
  absl::StatusOr<int64_t> SumUp(const std::string& machine);
  // False: it ends.
  bool Rest(std::chrono::microseconds time);

  store::Store* const store_;
  const Options options_;
  const NeededAfter needed_after_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> ending_{false};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_RETENTION_H_
