#include "gateway/transport/workers.h"

#include <system_error>
#include <utility>

#include "domain/sharing/name_thread.h"

namespace cox::gateway {

Workers::~Workers() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::Run(std::function<void()> task, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return tasks_.size() < idle_ || threads_.size() < limit_; };
  if (!has_room() && !free_.wait_for(lock, patience, has_room)) return false;
  if (tasks_.size() >= idle_) {
    try {
      threads_.emplace_back([this] { Loop(); });
    } catch (const std::system_error&) {  // the system has no thread for us
      return false;
    }
    ++idle_;  // in its name: it takes a task first
  }
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

void Workers::Loop() {
  domain::NameThisThread("http-worker");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    --idle_;
    lock.unlock();
    task();
    task = nullptr;  // what it holds may take a while to end
    lock.lock();
    ++idle_;
    free_.notify_one();
  }
}

}  // namespace cox::gateway
