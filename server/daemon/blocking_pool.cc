#include "daemon/blocking_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/sharing/name_thread.h"
#include "domain/words/counted.h"

namespace cox::daemon {
namespace {

// Parts of accepted work wait under this name.
constexpr absl::string_view kNobody = "";

}  // namespace

BlockingPool::BlockingPool(const char* name, int thread_count, size_t queue_limit,
                           int running_limit)
    : name_(name), places_(static_cast<int64_t>(queue_limit)), running_limit_(running_limit) {
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

absl::Status BlockingPool::Run(const std::string& caller, std::function<void()> work,
                               int64_t cost) {
  {
    std::lock_guard lock(mutex_);
    if (!places_.Take(caller, cost)) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "overloaded: ", queue_.size(),
          domain::Plural(static_cast<int64_t>(queue_.size()), " call waits", " calls wait"),
          " already, and this caller has ", places_.HeldBy(caller), " of the ", places_.limit(),
          " places; try again later"));
    }
    queue_.Push(caller, cost, {caller, cost, std::move(work)});
  }
  wake_.notify_one();
  return absl::OkStatus();
}

void BlockingPool::RunInParts(size_t count, size_t step,
                              const std::function<void(size_t, size_t)>& work) {
  struct Progress {
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    std::condition_variable changed;
    size_t done = 0;
  };
  auto progress = std::make_shared<Progress>();
  // A copy that the pool runs late finds no part left, and does not touch `work`.
  const auto run = [progress, count, step, &work] {
    while (true) {
      const size_t begin = progress->next.fetch_add(step);
      if (begin >= count) return;
      const size_t end = std::min(count, begin + step);
      work(begin, end);
      std::lock_guard lock(progress->mutex);
      progress->done += end - begin;
      if (progress->done == count) progress->changed.notify_all();
    }
  };
  if (count > step) RunOnIdleThreads((count - 1) / step, run);
  run();
  std::unique_lock lock(progress->mutex);
  progress->changed.wait(lock, [&] { return progress->done == count; });
}

void BlockingPool::RunOnIdleThreads(size_t most, const std::function<void()>& work) {
  std::lock_guard lock(mutex_);
  const size_t busy = static_cast<size_t>(running_) + queue_.size();
  const size_t idle = threads_.size() - std::min(threads_.size(), busy);
  for (size_t i = 0; i < std::min(idle, most); ++i) {
    if (!places_.Take(kNobody, 1)) return;
    queue_.Push(kNobody, 1, {std::string(kNobody), 1, work});
    wake_.notify_one();
  }
}

bool BlockingPool::AwaitIdle(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, deadline, [this] { return queue_.empty() && running_ == 0; });
}

std::optional<BlockingPool::Waiting> BlockingPool::TakeNext() {
  std::optional<Waiting> next = queue_.PopIf([this](const Waiting& waiting) {
    if (waiting.caller == kNobody) return true;
    const auto of_caller = running_of_.find(waiting.caller);
    return of_caller == running_of_.end() || of_caller->second < running_limit_;
  });
  if (!next) return next;
  places_.GiveBack(next->caller, next->cost);
  ++running_;
  ++running_of_[next->caller];
  return next;
}

void BlockingPool::Loop() {
  domain::NameThisThread(name_);
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<Waiting> next = TakeNext();
    if (!next) {
      if (ending_ && queue_.empty()) return;
      wake_.wait(lock);
      continue;
    }
    lock.unlock();
    next->work();
    next->work = {};  // releases its captures before the pool counts as idle
    lock.lock();
    // This thread takes what its caller has waiting, so the others need not wake.
    if (--running_of_[next->caller] == 0) running_of_.erase(next->caller);
    if (--running_ == 0 && queue_.empty()) idle_.notify_all();
    if (ending_) wake_.notify_all();
  }
}

}  // namespace cox::daemon
