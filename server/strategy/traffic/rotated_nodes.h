// Block-placed nodes in ranks counted from a root: v = (r - root) mod p. The root's node may
// consist of two pieces, at the beginning and at the end of all v. Every other node is an interval
// between them. Pure, any thread.
#ifndef COX_STRATEGY_TRAFFIC_ROTATED_NODES_H_
#define COX_STRATEGY_TRAFFIC_ROTATED_NODES_H_

#include <algorithm>
#include <cstdint>

#include "strategy/traffic/nodes.h"

namespace cox::strategy {

struct RotatedNodes {
  RotatedNodes(const Nodes& nodes, int64_t root)
      : ranks(nodes.ranks), ppn(nodes.ppn), last_size(nodes.smallest()) {
    const int64_t at = root / ppn;
    const int64_t begin = at * ppn;
    const int64_t end = std::min(begin + ppn, ranks);
    head = end - root;
    tail = root - begin;
    before_last = std::max<int64_t>(nodes.count - 2 - at, 0);
    has_last = at < nodes.count - 1;
    after_last = at;
  }

  // The intervals between head and ranks - tail, in order: before_last full nodes, the machine's
  // last node if it is not the root's, after_last full nodes.
  int64_t count() const { return before_last + (has_last ? 1 : 0) + after_last; }
  int64_t SizeOf(int64_t i) const { return has_last && i == before_last ? last_size : ppn; }
  // First v of the full nodes after the last node.
  int64_t after_begin() const { return ranks - tail - after_last * ppn; }
  int64_t last_begin() const { return head + before_last * ppn; }

  int64_t ranks;
  int64_t ppn;
  int64_t last_size;  // of the machine's last node
  int64_t head;       // the root's node is v < head and v >= ranks - tail
  int64_t tail;
  int64_t before_last;
  int64_t after_last;
  bool has_last;
};

// A placement and a root, computed once for all steps of an algorithm. `block` is valid only under
// block placement.
struct Rooted {
  Rooted(const Scenario& scenario, int64_t root)
      : nodes(scenario), root(root), block(nodes, root) {}

  Nodes nodes;
  int64_t root;
  RotatedNodes block;
};

// Numbers that two intervals [a, b) and [c, d) share.
inline int64_t Shared(int64_t a, int64_t b, int64_t c, int64_t d) {
  return std::max<int64_t>(0, std::min(b, d) - std::max(a, c));
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_ROTATED_NODES_H_
