#include "strategy/patterns.h"

#include <vector>

namespace cox::strategy {
namespace {
struct Tally {
  explicit Tally(const Nodes& n) : nodes(n), out(n.count), in(n.count) {}
  void Add(int64_t a, int64_t b, double bytes = 1) {
    int64_t x = nodes.Of(a), y = nodes.Of(b);
    if (x == y) {
      load.node_messages++;
      load.node_max_bytes = std::max(bytes, load.node_max_bytes);
      load.node_volume_bytes += bytes;
      return;
    }
    load.network_messages++;
    load.network_max_bytes = std::max(bytes, load.network_max_bytes);
    load.network_volume_bytes += bytes;
    load.node_out_bytes = std::max(load.node_out_bytes, out[x] += bytes);
    load.node_in_bytes = std::max(load.node_in_bytes, in[y] += bytes);
  }
  Crossing c() const {
    return {load.node_messages, load.network_messages, load.node_out_bytes, load.node_in_bytes};
  }
  Nodes nodes;
  std::vector<double> out, in;
  StepLoad load;
};
}  // namespace

Crossing Shift(const Nodes& n, int64_t d) {
  Tally t(n);
  for (int64_t r = 0; r < n.ranks; ++r) t.Add(r, (r + d) % n.ranks);
  return t.c();
}
Crossing NearTreeStep(const Nodes& n, int64_t root, int64_t d) {
  Tally t(n);
  for (int64_t v = 0; v < d && v + d < n.ranks; ++v)
    t.Add((v + root) % n.ranks, (v + d + root) % n.ranks);
  return t.c();
}
Crossing FarTreeStep(const Nodes& n, int64_t root, int64_t d) {
  Tally t(n);
  for (int64_t v = 0; v + d < n.ranks; v += 2 * d)
    t.Add((v + root) % n.ranks, (v + d + root) % n.ranks);
  return t.c();
}
StepLoad FarTreeScatterStep(const Nodes& n, int64_t root, int64_t d, double chunk) {
  Tally t(n);
  for (int64_t v = 0; v + d < n.ranks; v += 2 * d)
    t.Add((v + root) % n.ranks, (v + d + root) % n.ranks,
          chunk * double(std::min(d, n.ranks - v - d)));
  return t.load;
}
Crossing Reversed(const Crossing& c) {
  return {c.node_messages, c.network_messages, c.busiest_node_in, c.busiest_node_out};
}
StepLoad Reversed(const StepLoad& l) {
  StepLoad r = l;
  std::swap(r.node_out_bytes, r.node_in_bytes);
  return r;
}
Crossing RotatedExchange(const Nodes& n, int64_t root, int64_t d) {
  Tally t(n);
  for (int64_t v = 0; v < n.ranks; ++v) t.Add((v + root) % n.ranks, ((v ^ d) + root) % n.ranks);
  return t.c();
}
Fold::Fold(int64_t ranks, Takes takes) : active(1), offset(takes == Takes::kOdd) {
  while (active <= ranks / 2) active *= 2;
  folded = ranks - active;
}
Crossing FoldedExchange(const Nodes& n, const Fold& f, int64_t d) {
  Tally t(n);
  for (int64_t v = 0; v < f.active; ++v) t.Add(f.RankOf(v), f.RankOf(v ^ d));
  return t.c();
}
Crossing NeighborSend(const Nodes& n, int64_t pairs) {
  Tally t(n);
  for (int64_t i = 0; i < pairs; ++i) t.Add(2 * i, 2 * i + 1);
  return t.c();
}
Crossing NeighborExchange(const Nodes& n, int64_t first, int64_t pairs) {
  Tally t(n);
  for (int64_t i = 0; i < pairs; ++i) {
    int64_t r = 2 * i + first;
    t.Add(r % n.ranks, (r + 1) % n.ranks);
    t.Add((r + 1) % n.ranks, r % n.ranks);
  }
  return t.c();
}
}  // namespace cox::strategy
