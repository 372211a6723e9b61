// A queue that serves its owners in turn, so that who queues much waits for who queues little.
//
// Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): an item starts when the owner's
// item before it ends, measured in what all were served; the item that starts first goes first.
// An owner's own items stay in order. An owner with nothing queued starts now, before everything
// that others queued beyond their turn; so no owner waits for more than the item that is being
// served and one of each other owner.
//
// Header only; one thread at a time; cannot fail.
#ifndef COX_DOMAIN_SHARING_FAIR_QUEUE_H_
#define COX_DOMAIN_SHARING_FAIR_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

template <typename Item>
class FairQueue {
 public:
  // `cost` >= 1: what serving the item takes, in any unit.
  void Push(absl::string_view owner, int64_t cost, Item item) {
    if (owners_.size() >= forget_at_) ForgetIdle();
    Owner& of = owners_[owner];
    const int64_t start = std::max(of.end, now_);
    of.end = start + cost;
    last_end_ = std::max(last_end_, of.end);
    queue_.emplace(Place{start, next_number_++}, std::move(item));
  }

  // Nobody's: after all that is queued now.
  void PushLast(Item item) {
    queue_.emplace(Place{std::max(last_end_, now_), next_number_++}, std::move(item));
  }

  bool empty() const { return queue_.empty(); }
  size_t size() const { return queue_.size(); }

  // The next item. Not of an empty queue.
  const Item& front() const { return queue_.begin()->second; }
  Item Pop() {
    return *PopIf([](const Item& /*item*/) { return true; });
  }
  // The next item that `may_go`, past others that may not; nullopt if none may.
  template <typename MayGo>
  std::optional<Item> PopIf(const MayGo& may_go) {
    for (auto it = queue_.begin(); it != queue_.end(); ++it) {
      if (!may_go(it->second)) continue;
      auto next = queue_.extract(it);
      now_ = std::max(now_, next.key().start);
      return std::move(next.mapped());
    }
    return std::nullopt;
  }

 private:
  // In the order of service.
  struct Place {
    int64_t start;
    uint64_t number;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Owner {
    int64_t end = 0;  // of its last item
  };
  static constexpr size_t kFewOwners = 1'024;

  // Owners whose last item ends now or before are like new ones.
  void ForgetIdle() {
    if (queue_.empty()) now_ = last_end_;
    absl::erase_if(owners_, [this](const auto& entry) { return entry.second.end <= now_; });
    forget_at_ = std::max(kFewOwners, 2 * owners_.size());
  }

  std::map<Place, Item> queue_;
  absl::flat_hash_map<std::string, Owner> owners_;
  int64_t now_ = 0;  // where the last item that was served started
  int64_t last_end_ = 0;
  uint64_t next_number_ = 0;
  size_t forget_at_ = kFewOwners;
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHARING_FAIR_QUEUE_H_
