#include "daemon/learning/profile_feed.h"

#include <utility>
#include <vector>

namespace cox::daemon {

std::unique_ptr<ProfileFeed::Subscription> ProfileFeed::Subscribe(const std::string& machine,
                                                                  Listener listener) {
  std::lock_guard lock(mutex_);
  const int64_t id = next_id_++;
  entries_[id] = {machine, std::make_shared<const Listener>(std::move(listener))};
  return std::make_unique<Subscription>(this, id);
}

void ProfileFeed::Unsubscribe(int64_t id) {
  std::lock_guard lock(mutex_);
  entries_.erase(id);
}

void ProfileFeed::Announce(const store::ProfileRecord& profile) {
  std::vector<std::shared_ptr<const Listener>> listeners;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry.machine == profile.machine) listeners.push_back(entry.listener);
    }
  }
  for (const auto& listener : listeners) (*listener)(profile);
}

}  // namespace cox::daemon
