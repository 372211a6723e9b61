#include "daemon/blocking_pool.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace cox::daemon {

BlockingPool::BlockingPool(int thread_count, size_t queue_limit)
    : places_(static_cast<int64_t>(queue_limit)) {
  for (int i = 0; i < thread_count; ++i) threads_.emplace_back([this] { Loop(); });
}

BlockingPool::~BlockingPool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

absl::Status BlockingPool::Run(const std::string& caller, std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (!places_.Take(caller, 1)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("overloaded: ", places_.held(), " calls wait already, ",
                       places_.HeldBy(caller), " of this caller; try again later"));
    }
    queue_.Push(caller, 1, {caller, std::move(work)});
  }
  wake_.notify_one();
  return absl::OkStatus();
}

bool BlockingPool::AwaitIdle(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, deadline, [this] { return queue_.empty() && running_ == 0; });
}

void BlockingPool::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Waiting next = queue_.Pop();
    places_.GiveBack(next.caller, 1);
    ++running_;
    lock.unlock();
    next.work();
    next.work = {};  // releases its captures before the pool counts as idle
    lock.lock();
    if (--running_ == 0 && queue_.empty()) idle_.notify_all();
  }
}

}  // namespace cox::daemon
