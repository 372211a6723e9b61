#include "daemon/health_watch.h"

#include <chrono>
#include <future>
#include <string>
#include <utility>

#include "daemon/log.h"
#include "domain/sharing/name_thread.h"

namespace cox::daemon {
namespace {

constexpr std::chrono::milliseconds kInterval{1'000};

}  // namespace

HealthWatch::HealthWatch(store::Store* store, Tell tell, std::chrono::milliseconds most_check)
    : store_(store), tell_(std::move(tell)), most_check_(most_check), thread_([this] { Loop(); }) {}

HealthWatch::~HealthWatch() { Stop(); }

void HealthWatch::Stop() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void HealthWatch::Loop() {
  domain::NameThisThread("health");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kInterval, [this] { return ending_; })) {
    lock.unlock();
    // A disk that hangs holds up the check, which must not hold up what is told of it.
    std::future<absl::Status> check =
        std::async(std::launch::async, [this] { return store_->Check(); });
    if (check.wait_for(most_check_) == std::future_status::timeout) {
      Note(absl::DeadlineExceededError("a look at the database does not end"));
    }
    Note(check.get());
    lock.lock();
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
