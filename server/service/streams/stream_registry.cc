#include "service/streams/stream_registry.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "service/status.h"

namespace cox::service {

absl::Status StreamRegistry::Add(const std::shared_ptr<Closable>& stream,
                                 const access::Principal& principal) {
  std::lock_guard lock(mutex_);
  if (draining_) return ShuttingDown("the daemon is ending; connect again later");
  const bool has_share = principal.role < access::Role::kOperator;
  const bool taken =
      has_share ? places_.Take(principal.name, 1) : places_.TakeFree(principal.name, 1);
  if (!taken) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "too many streams: ", places_.held(), " of ", places_.limit(), " are open (max-streams), ",
        places_.HeldBy(principal.name), " of ", principal.name, "; try again later"));
  }
  if (absl::Status opened = quotas_->OpenStream(principal); !opened.ok()) {
    places_.GiveBack(principal.name, 1);
    return opened;
  }
  streams_.emplace(stream, principal);
  return absl::OkStatus();
}

void StreamRegistry::Remove(const std::shared_ptr<Closable>& stream) {
  {
    std::lock_guard lock(mutex_);
    // A stream that was refused is not there.
    if (const auto found = streams_.find(stream); found != streams_.end()) {
      quotas_->CloseStream(found->second);
      places_.GiveBack(found->second.name, 1);
      streams_.erase(found);
    }
  }
  removed_.notify_all();
}

void StreamRegistry::CloseIf(const std::function<absl::Status(const access::Principal&)>& check) {
  std::vector<std::pair<std::shared_ptr<Closable>, absl::Status>> closing;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [stream, principal] : streams_) {
      if (absl::Status why = check(principal); !why.ok()) {
        closing.emplace_back(stream, std::move(why));
      }
    }
  }
  // Without the lock: a stream that ends removes itself.
  for (const auto& [stream, why] : closing) stream->Close(why);
}

void StreamRegistry::DrainAll() {
  {
    std::lock_guard lock(mutex_);
    draining_ = true;
  }
  CloseIf([](const access::Principal& /*principal*/) {
    return ShuttingDown(
        "the daemon is ending; connect again, and send again what it did not answer");
  });
}

void StreamRegistry::AwaitEmpty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  removed_.wait_until(lock, deadline, [this] { return streams_.empty(); });
}

}  // namespace cox::service
