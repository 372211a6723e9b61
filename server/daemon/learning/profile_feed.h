// Announces new profiles of a machine to subscribers.
//
// Any thread. Listeners are called one after another, outside the feed's lock, on the thread that
// announces; they must not wait.
#ifndef COX_DAEMON_LEARNING_PROFILE_FEED_H_
#define COX_DAEMON_LEARNING_PROFILE_FEED_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/records.h"

namespace cox::daemon {

class ProfileFeed {
 public:
  using Listener = std::function<void(const store::ProfileRecord&)>;

  // Unsubscribes when destroyed. A call on another thread may still be running then, so the
  // listener must own what it uses.
  class Subscription {
   public:
    Subscription(ProfileFeed* feed, int64_t id) : feed_(feed), id_(id) {}
    ~Subscription() { feed_->Unsubscribe(id_); }
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

   private:
    ProfileFeed* feed_;
    int64_t id_;
  };

  // The feed must outlive the subscription.
  std::unique_ptr<Subscription> Subscribe(const std::string& machine, Listener listener);

  // Calls the listeners of the profile's machine.
  void Announce(const store::ProfileRecord& profile);

 private:
  struct Entry {
    std::string machine;
    std::shared_ptr<const Listener> listener;
  };
  void Unsubscribe(int64_t id);

  std::mutex mutex_;
  int64_t next_id_ = 0;
  std::map<int64_t, Entry> entries_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_PROFILE_FEED_H_
