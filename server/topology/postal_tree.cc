#include "topology/postal_tree.h"

#include <algorithm>

namespace cox::topology {

PostalTree::PostalTree(int64_t ranks, int64_t root, int64_t latency)
    : ranks_(ranks), root_(root), latency_(latency), reached_{1} {
  while (reached_.back() < ranks) {
    const auto t = static_cast<int64_t>(reached_.size());
    const int64_t more = t < latency ? 0 : reached_[static_cast<size_t>(t - latency)];
    reached_.push_back(reached_.back() + more);
  }
}

int64_t PostalTree::TimeFor(int64_t n, int64_t from) const {
  const auto end = reached_.begin() + from + 1;
  return std::lower_bound(reached_.begin(), end, n) - reached_.begin();
}

// A rank that must reach n consecutive ranks within t keeps the first F(t - 1) of them. It hands
// the rest, at most F(t - latency), to the first rank of the rest. Then it does the same with the
// ranks that it keeps.
PostalTree::Place PostalTree::PlaceOf(int64_t rank) const {
  const int64_t v = (rank - root_ + ranks_) % ranks_;
  const auto rank_at = [this](int64_t place) { return (place + root_) % ranks_; };
  Place found{-1, 0, {}};
  int64_t leader = 0;
  int64_t count = ranks_;
  int64_t now = 0;
  while (leader != v) {
    const int64_t kept = reached_[static_cast<size_t>(TimeFor(count, time()) - 1)];
    if (v < leader + kept) {
      count = kept;
      ++now;
    } else {
      found.parent = rank_at(leader);
      leader += kept;
      count -= kept;
      now += latency_;
    }
  }
  found.arrival = now;
  while (count > 1) {
    const int64_t kept = reached_[static_cast<size_t>(TimeFor(count, time()) - 1)];
    found.children.push_back(rank_at(leader + kept));
    count = kept;
  }
  return found;
}

}  // namespace cox::topology
