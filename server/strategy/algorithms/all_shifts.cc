#include "strategy/algorithms/all_shifts.h"

#include <algorithm>

#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"

namespace cox::strategy {
namespace {

// Sums of Shift() over all distances of a kind, in closed form.
struct ShiftKinds {
  double near_times = 0;  // some messages stay in nodes, some cross
  double far_times = 0;   // all cross
  double home_times = 0;  // none crosses
  double near_node_messages = 0;
  double near_busiest_out = 0;
};

ShiftKinds BlockShiftKinds(const Nodes& nodes) {
  const auto ranks = static_cast<double>(nodes.ranks);
  const auto large = static_cast<double>(nodes.largest());
  const auto small = static_cast<double>(nodes.smallest());
  const auto large_count = static_cast<double>(nodes.largest_count());
  ShiftKinds kinds;
  kinds.near_times = std::min(2 * (large - 1), ranks - 1);
  kinds.far_times = ranks - 1 - kinds.near_times;
  kinds.near_node_messages = large_count * large * (large - 1) +
                             (static_cast<double>(nodes.count) - large_count) * small * (small - 1);
  // Over all distances a node's ranks send to every rank outside the node.
  kinds.near_busiest_out = large * (ranks - large) - kinds.far_times * large;
  return kinds;
}

ShiftKinds CyclicShiftKinds(const Nodes& nodes) {
  const int64_t whole = nodes.ranks / nodes.count;
  ShiftKinds kinds;
  if (nodes.ranks % nodes.count == 0) {
    kinds.home_times = static_cast<double>(whole - 1);
    kinds.far_times = static_cast<double>(nodes.ranks - 1) - kinds.home_times;
    return kinds;
  }
  // Distances m N and p - m N, m = 1 .. whole: m ranks of each node cross in both.
  const auto multiples = static_cast<double>(whole);
  kinds.near_times = 2 * multiples;
  kinds.far_times = static_cast<double>(nodes.ranks - 1) - kinds.near_times;
  kinds.near_busiest_out = multiples * (multiples + 1);
  kinds.near_node_messages = kinds.near_times * static_cast<double>(nodes.ranks) -
                             kinds.near_busiest_out * static_cast<double>(nodes.count);
  return kinds;
}

ShiftKinds KindsOf(const Nodes& nodes) {
  if (nodes.count == 1) {
    ShiftKinds kinds;
    kinds.home_times = static_cast<double>(nodes.ranks - 1);
    return kinds;
  }
  return nodes.cyclic ? CyclicShiftKinds(nodes) : BlockShiftKinds(nodes);
}

enum ShiftKind { kNear, kHome, kFar };

ShiftKind KindOf(const Nodes& nodes, int64_t distance) {
  int64_t staying = 0;
  for (int64_t rank = 0; rank < nodes.ranks; ++rank) {
    staying += nodes.Of(rank) == nodes.Of((rank + distance) % nodes.ranks) ? 1 : 0;
  }
  if (staying == 0) return kFar;
  return staying == nodes.ranks ? kHome : kNear;
}

}  // namespace

void AddAllShifts(const Scenario& scenario, double reduced_bytes, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const ShiftKinds kinds = KindsOf(nodes);
  const auto ranks = static_cast<double>(nodes.ranks);
  const auto bytes = static_cast<double>(scenario.block_bytes);
  const model::LocalWork work{0, reduced_bytes};
  Steps steps(schedule);
  if (kinds.near_times > 0) {
    const double in_nodes = kinds.near_node_messages / kinds.near_times;
    const double busiest = kinds.near_busiest_out / kinds.near_times;
    steps.Add({in_nodes, ranks - in_nodes, busiest, busiest}, bytes, work, kinds.near_times);
  }
  steps.Add({ranks, 0, 0, 0}, bytes, work, kinds.home_times);
  const auto large = static_cast<double>(nodes.largest());
  steps.Add({0, ranks, large, large}, bytes, work, kinds.far_times);
}

void EnumerateAllShifts(const Scenario& scenario, Enumeration* out) {
  const Nodes nodes(scenario);
  for (ShiftKind kind : {kNear, kHome, kFar}) {
    for (int64_t distance = 1; distance < scenario.ranks; ++distance) {
      if (KindOf(nodes, distance) != kind) continue;
      for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
        out->Send(rank, (rank + distance) % scenario.ranks,
                  static_cast<double>(scenario.block_bytes));
      }
      out->EndStep();
    }
  }
}

}  // namespace cox::strategy
