#include "gateway/recent_facts.h"

namespace cox::gateway {

std::shared_ptr<const RecentFacts::Result> RecentFacts::Get() {
  const std::lock_guard lock(mutex_);
  if (result_ == nullptr || clock_() - read_time_ > kMaxAge) {
    result_ = std::make_shared<const Result>(read_());
    read_time_ = clock_();
  }
  return result_;
}

}  // namespace cox::gateway
