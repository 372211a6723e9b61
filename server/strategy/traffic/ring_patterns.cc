#include <algorithm>

#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

Crossing Uniform(int64_t messages, int64_t crossing, int64_t busiest) {
  return {static_cast<double>(messages - crossing), static_cast<double>(crossing),
          static_cast<double>(busiest), static_cast<double>(busiest)};
}

Crossing OneWay(Crossing crossing) {
  crossing.disjoint = true;
  return crossing;
}

// Ranks of a block-placed node of this size whose partner is on another node.
int64_t Leaving(int64_t size, int64_t ranks, int64_t distance) {
  return std::min(size, distance) + std::min(size, ranks - distance) - size;
}

Crossing BlockShift(const Nodes& nodes, int64_t distance) {
  const int64_t full = Leaving(nodes.ppn, nodes.ranks, distance);
  const int64_t last = Leaving(nodes.smallest(), nodes.ranks, distance);
  // A node with more than half of all ranks sends out as many messages as the rest, so the fullest
  // node is the busiest.
  return Uniform(nodes.ranks, (nodes.count - 1) * full + last, full);
}

Crossing CyclicShift(const Nodes& nodes, int64_t distance) {
  // Ranks beyond the end send back by p - distance, the others forward by distance.
  const int64_t back = nodes.ranks - distance;
  const bool forward_stays = distance % nodes.count == 0;
  const bool back_stays = back % nodes.count == 0;
  if (forward_stays && back_stays) return Uniform(nodes.ranks, 0, 0);
  if (forward_stays) return Uniform(nodes.ranks, distance, distance / nodes.count);
  if (back_stays) return Uniform(nodes.ranks, back, back / nodes.count);
  return Uniform(nodes.ranks, nodes.ranks, nodes.largest());
}

// Node borders at odd ranks below 2 x pairs: each cuts one pair (2 i, 2 i + 1).
int64_t CutPairs(const Nodes& nodes, int64_t pairs) {
  if (nodes.ppn % 2 == 0) return 0;
  return ((2 * pairs - 1) / nodes.ppn + 1) / 2;
}

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

Crossing Shift(const Nodes& nodes, int64_t distance) {
  if (nodes.count == 1) return Uniform(nodes.ranks, 0, 0);
  return nodes.cyclic ? CyclicShift(nodes, distance) : BlockShift(nodes, distance);
}

Crossing NeighborSend(const Nodes& nodes, int64_t pairs) {
  if (nodes.count == 1) return OneWay(Uniform(pairs, 0, 0));
  if (nodes.cyclic) {
    const int64_t senders_period = nodes.count % 2 == 0 ? nodes.count / 2 : nodes.count;
    return OneWay(Uniform(pairs, pairs, CeilDivide(pairs, senders_period)));
  }
  const int64_t cut = CutPairs(nodes, pairs);
  return OneWay(Uniform(pairs, cut, cut > 0 ? 1 : 0));
}

Crossing NeighborExchange(const Nodes& nodes, int64_t first, int64_t pairs) {
  const int64_t messages = 2 * pairs;
  if (nodes.count == 1) return Uniform(messages, 0, 0);
  if (nodes.cyclic) {
    // Only the pair (p - 1, 0) can share a node, and only if that node has one rank more.
    const bool seam_stays = first == 1 && (nodes.ranks - 1) % nodes.count == 0;
    if (seam_stays) return Uniform(messages, messages - 2, nodes.smallest());
    return Uniform(messages, messages, CeilDivide(messages, nodes.count));
  }
  if (first == 0) {
    const int64_t cut = CutPairs(nodes, pairs);
    return Uniform(messages, 2 * cut, cut > 0 ? 1 : 0);
  }
  // The pairs span the even ranks, including the pair (p - 1, 0). Node borders at even ranks cut
  // them, at most one at either end of a node.
  const int64_t even_borders = nodes.ppn % 2 == 0 ? nodes.count : (nodes.count + 1) / 2;
  const bool both_ends = nodes.ppn % 2 == 0 || (nodes.count - 1) % 2 == 0;
  return Uniform(messages, 2 * even_borders, both_ends ? 2 : 1);
}

}  // namespace cox::strategy
