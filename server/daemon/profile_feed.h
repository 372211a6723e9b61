// Who wants to hear of a machine's profile, and telling them.
//
// Any thread. Listeners are called one after another, outside the feed's lock, on the thread that
// announces; they must not wait.
#ifndef COX_DAEMON_PROFILE_FEED_H_
#define COX_DAEMON_PROFILE_FEED_H_

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

  // Unsubscribes when destroyed; after that the listener is not called any more, except by a call
  // that is under way on another thread (the listener must own what it touches).
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

#endif  // COX_DAEMON_PROFILE_FEED_H_
