#include "strategy/algorithms/rooted/star.h"

#include <algorithm>

#include "strategy/traffic/nodes.h"
#include "strategy/traffic/reversed_traffic.h"

namespace cox::strategy {
namespace {

// One level's share: the root sends to `peers` ranks.
void SetLevel(double peers, double bytes, model::LevelTraffic* level) {
  if (peers <= 0) return;
  level->sends_count = peers;
  level->receives_count = 1;
  level->out_bytes = peers * bytes;
  level->in_bytes = level->max_message_bytes = bytes;
  level->pairs_count = level->messages_count = peers;
  level->volume_bytes = peers * bytes;
}

// The ranks of the fullest node besides the root's; 0 if there is none.
int64_t LargestOther(const Nodes& nodes, int64_t root_node) {
  if (nodes.count == 1) return 0;
  const bool another_large = nodes.SizeOf(root_node) < nodes.largest() || nodes.largest_count() > 1;
  return another_large ? nodes.largest() : nodes.smallest();
}

}  // namespace

model::Traffic OneToAll(const Scenario& scenario, int64_t root, double bytes) {
  const Nodes nodes(scenario);
  const int64_t root_node = nodes.Of(root);
  const int64_t at_root = nodes.SizeOf(root_node);
  const auto peers = static_cast<double>(nodes.ranks - 1);
  model::Traffic traffic;
  SetLevel(static_cast<double>(at_root - 1), bytes, &traffic.node);
  SetLevel(static_cast<double>(nodes.ranks - at_root), bytes, &traffic.network);
  traffic.network.node_out_bytes = traffic.network.out_bytes;
  traffic.network.node_in_bytes = static_cast<double>(LargestOther(nodes, root_node)) * bytes;
  if (peers > 0) traffic.any = {peers, 1, peers * bytes, bytes, bytes};
  traffic.disjoint = true;
  return traffic;
}

model::Traffic AllToOne(const Scenario& scenario, int64_t root, double bytes) {
  return Reversed(OneToAll(scenario, root, bytes));
}

model::Traffic OneToOne(const Scenario& scenario, int64_t source, int64_t destination,
                        double bytes) {
  const bool crosses = scenario.NodeOf(source) != scenario.NodeOf(destination);
  model::Traffic traffic;
  traffic.any = {1, 1, bytes, bytes, bytes};
  (crosses ? traffic.network : traffic.node) = {
      traffic.any, 1, 1, bytes, crosses ? bytes : 0, crosses ? bytes : 0};
  traffic.disjoint = true;
  return traffic;
}

}  // namespace cox::strategy
