// Divides something bounded among its owners, so that none can take it from the others.
//
// An owner may hold at most three times what is left free: alone three quarters, two owners three
// sevenths each. So the next owner still finds a place, and an owner who is alone loses little.
// This is the dynamic threshold of Choudhury and Hahne, "Dynamic queue length thresholds for
// shared-memory packet switches", IEEE/ACM Trans. Networking 6(2), 1998.
//
// Header only; one thread at a time; cannot fail.
#ifndef COX_DOMAIN_SHARING_SHARES_H_
#define COX_DOMAIN_SHARING_SHARES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

class Shares {
 public:
  // Of what stays free.
  static constexpr int64_t kTimesFree = 3;

  // `limit` >= 1: of all owners together.
  explicit Shares(int64_t limit) : limit_(limit) {}

  // Takes `amount` >= 0 for the owner. False: the owner's share is used up, or all is; then nothing
  // is taken. While nobody holds anything, any amount is admitted: what is larger than the limit
  // gets its turn alone.
  bool Take(absl::string_view owner, int64_t amount) {
    if (held_ > 0 && !HasRoom(owner, amount)) return false;
    Hold(owner, amount);
    return true;
  }

  // The same for an owner without a share of its own: only what is free counts.
  bool TakeFree(absl::string_view owner, int64_t amount) {
    if (held_ > 0 && amount > limit_ - held_) return false;
    Hold(owner, amount);
    return true;
  }

  // Counts what cannot be refused any more.
  void Hold(absl::string_view owner, int64_t amount) {
    held_ += amount;
    if (amount > 0) held_by_[owner] += amount;
  }

  // What the owner took before.
  void GiveBack(absl::string_view owner, int64_t amount) {
    held_ -= amount;
    const auto found = held_by_.find(owner);
    if (found == held_by_.end()) return;
    found->second -= amount;
    if (found->second <= 0) held_by_.erase(found);
  }

  int64_t limit() const { return limit_; }
  int64_t held() const { return held_; }
  int64_t HeldBy(absl::string_view owner) const {
    const auto found = held_by_.find(owner);
    return found == held_by_.end() ? 0 : found->second;
  }

 private:
  // Without a product and without a sum of large numbers: each could be larger than 2^63.
  bool HasRoom(absl::string_view owner, int64_t amount) const {
    if (amount > limit_ - held_) return false;
    const int64_t free = limit_ - held_ - amount;
    return (HeldBy(owner) + amount + kTimesFree - 1) / kTimesFree <= free;
  }

  const int64_t limit_;
  int64_t held_ = 0;
  absl::flat_hash_map<std::string, int64_t> held_by_;  // nobody with 0
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHARING_SHARES_H_
