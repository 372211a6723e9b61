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

HealthWatch::HealthWatch(store::Store* store, Tell tell)
    : store_(store), tell_(std::move(tell)), thread_([this] { Loop(); }) {}

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
    const absl::Status status = store_->Check();
    if (status.ok() != is_healthy_) {
      is_healthy_ = status.ok();
      if (status.ok()) {
        Log(LogLevel::kInfo, "the store works again");
      } else {
        Log(LogLevel::kError, "the store fails; observations are refused",
            {{"error", std::string(status.message())}});
      }
      tell_(status.ok());
    }
    lock.lock();
  }
}

}  // namespace cox::daemon
