// The best tree to broadcast one message under the postal model, where a rank may start to send
// every unit of time and a message arrives `latency` units after its start: whoever has the message
// keeps sending. Pure values, any thread, O(the time that the broadcast takes).
//
// F(t) = 1 for t < latency, F(t - 1) + F(t - latency) after that (generalised Fibonacci numbers) is
// how many ranks can have the message at t. latency 1 is the binomial tree.
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
  // More changes nothing: by then every rank has its message from the root.
  static constexpr int64_t kMaxLatency = int64_t{1} << 20;

  // ranks in 1 .. 2^31 - 1, 0 <= root < ranks, latency in 1 .. kMaxLatency.
  PostalTree(int64_t ranks, int64_t root, int64_t latency);

  // The least t with F(t) >= ranks: when the last rank has the message. 0 for one rank.
  int64_t time() const { return static_cast<int64_t>(reached_.size()) - 1; }

  // A rank's parent (-1 for the root), when it has the message, and its children in the order in
  // which it sends to them, one a unit of time.
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
  std::vector<int64_t> reached_;  // F(0), F(1), ... up to the first that is no less than ranks
};

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_POSTAL_TREE_H_
