// Threads for calls that wait for the disk or compute for long, so that gRPC's threads do not.
//
// Bounded: beyond `queue_limit` waiting calls Run() refuses work with RESOURCE_EXHAUSTED. The
// destructor finishes accepted work.
#ifndef COX_DAEMON_BLOCKING_POOL_H_
#define COX_DAEMON_BLOCKING_POOL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace cox::daemon {

class BlockingPool {
 public:
  BlockingPool(int thread_count, size_t queue_limit);
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // Queues `work`. RESOURCE_EXHAUSTED: the queue is full, and `work` does not run.
  absl::Status Run(std::function<void()> work);

  // Waits until no work waits or runs, or until `deadline`. False: work is left.
  bool AwaitIdle(std::chrono::steady_clock::time_point deadline);

 private:
  void Loop();

  const size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::condition_variable idle_;
  int running_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_BLOCKING_POOL_H_
