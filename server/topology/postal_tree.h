// The fastest broadcast tree for one message under the postal model. A rank can start one send per
// unit of time, and a message arrives `latency` units after its start. Every rank that has the
// message keeps sending. Pure values, any thread, O(time of the broadcast).
//
// F(t) is how many ranks can have the message at time t: F(t) = 1 for t < latency, then F(t - 1) +
// F(t - latency) (generalised Fibonacci numbers). Latency 1 gives the binomial tree.
//
// Source: A. Bar-Noy, S. Kipnis, Designing broadcasting algorithms in the postal model for
// message-passing systems, 1994 (algorithm BCAST).
#ifndef COX_TOPOLOGY_POSTAL_TREE_H_
#define COX_TOPOLOGY_POSTAL_TREE_H_

#include <cstdint>
#include <vector>

namespace cox::topology {

class PostalTree {
 public:
  // A larger latency changes nothing: every rank then has the root as its parent.
  static constexpr int64_t kMaxLatency = int64_t{1} << 20;

  // ranks in 1 .. 2^31 - 1, 0 <= root < ranks, latency in 1 .. kMaxLatency.
  PostalTree(int64_t ranks, int64_t root, int64_t latency);

  // The least t with F(t) >= ranks: when the last rank has the message. 0 for one rank.
  int64_t time() const { return static_cast<int64_t>(reached_.size()) - 1; }

  // The parent of a rank (-1 for the root), the time at which the rank has the message, and its
  // children. The rank sends to one child per unit of time, in this order.
  struct Place {
    int64_t parent;
    int64_t arrival;
    std::vector<int64_t> children;
  };
  Place PlaceOf(int64_t rank) const;

 private:
  // The least t with F(t) >= n, at most `from`.
  int64_t TimeFor(int64_t n, int64_t from) const;

  int64_t ranks_;
  int64_t root_;
  int64_t latency_;
  std::vector<int64_t> reached_;  // F(0), F(1), ... up to the first value >= ranks
};

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_POSTAL_TREE_H_
