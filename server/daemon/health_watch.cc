#include "daemon/health_watch.h"

#include <chrono>
#include <string>
#include <utility>

#include "daemon/log.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

constexpr std::chrono::milliseconds kInterval{1'000};

}  // namespace

HealthWatch::HealthWatch(store::Store* store, Tell tell, std::chrono::milliseconds most_check)
    : store_(store),
      tell_(std::move(tell)),
      most_check_(most_check),
      thread_([this] { Loop(); }),
      clock_thread_([this] { WatchChecks(); }) {}

HealthWatch::~HealthWatch() { Stop(); }

void HealthWatch::Stop() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (clock_thread_.joinable()) clock_thread_.join();
}

void HealthWatch::Loop() {
  domain::NameThisThread("health");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return ending_; })) {
    check_begin_ = Clock::now();
    lock.unlock();
    const absl::Status status = store_->Check();
    lock.lock();
    check_begin_.reset();
    Note(status);
  }
}

void HealthWatch::WatchChecks() {
  domain::NameThisThread("health-clock");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return ending_; })) {
    if (check_begin_ && Clock::now() >= *check_begin_ + most_check_) {
      Note(absl::DeadlineExceededError("a look at the database does not end"));
    }
  }
}

void HealthWatch::Note(const absl::Status& status) {
  if (status.ok() == is_healthy_) return;
  is_healthy_ = status.ok();
  if (status.ok()) {
    Log(LogLevel::kInfo, "the store works again");
  } else {
    Log(LogLevel::kError, "the store fails; observations are refused",
        {{"error", std::string(status.message())}});
  }
  tell_(status.ok());
}

}  // namespace cox::daemon
