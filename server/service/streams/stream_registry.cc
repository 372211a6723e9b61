#include "service/streams/stream_registry.h"

#include "absl/strings/str_cat.h"

namespace cox::service {

absl::Status StreamRegistry::Add(const std::shared_ptr<Drainable>& stream) {
  std::lock_guard lock(mutex_);
  if (draining_) return absl::UnavailableError("the daemon is ending; connect again later");
  if (streams_.size() >= stream_limit_) {
    return absl::ResourceExhaustedError(absl::StrCat("too many streams: ", stream_limit_,
                                                     " are open (max-streams); try again later"));
  }
  streams_.insert(stream);
  return absl::OkStatus();
}

void StreamRegistry::Remove(const std::shared_ptr<Drainable>& stream) {
  {
    std::lock_guard lock(mutex_);
    streams_.erase(stream);
  }
  removed_.notify_all();
}

void StreamRegistry::DrainAll() {
  std::set<std::shared_ptr<Drainable>> streams;
  {
    std::lock_guard lock(mutex_);
    draining_ = true;
    streams = streams_;
  }
  for (const auto& stream : streams) stream->Drain();
}

void StreamRegistry::AwaitEmpty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  removed_.wait_until(lock, deadline, [this] { return streams_.empty(); });
}

}  // namespace cox::service
