#include "daemon/blocking_pool.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace cox::daemon {

BlockingPool::BlockingPool(int thread_count, size_t queue_limit) : queue_limit_(queue_limit) {
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

absl::Status BlockingPool::Run(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.size() >= queue_limit_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("overloaded: ", queue_limit_, " calls wait already; try again later"));
    }
    queue_.push_back(std::move(work));
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
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    work();
    work = {};  // releases its captures before the pool counts as idle
    lock.lock();
    if (--running_ == 0 && queue_.empty()) idle_.notify_all();
  }
}

}  // namespace cox::daemon
