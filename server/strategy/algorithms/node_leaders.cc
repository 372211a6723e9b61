#include "strategy/algorithms/node_leaders.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

double VectorBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

// The scenario whose nodes are the units that have a leader: the nodes, or `unit_ranks` consecutive
// ranks: a socket, the nodes of a switch.
Scenario ByUnits(const Scenario& scenario, const Knobs& knobs) {
  Scenario by_units = scenario;
  if (knobs.unit_ranks == 0) return by_units;
  by_units.ppn = knobs.unit_ranks;
  by_units.placement = Placement::kBlock;
  return by_units;
}

// The units, and the machine's nodes below or above them.
struct Units : Nodes {
  Units(const Scenario& scenario, const Knobs& knobs)
      : Nodes(ByUnits(scenario, knobs)),
        of(scenario),
        are_nodes(knobs.unit_ranks == 0 || knobs.unit_ranks == scenario.ppn),
        are_in_nodes(are_nodes || knobs.unit_ranks < scenario.ppn) {}

  // The scenario of one unit's ranks, as its leader sees it.
  Scenario Alone(int64_t size) const {
    Scenario alone = of;
    alone.ranks = size;
    alone.ppn = are_nodes ? size : std::min(of.ppn, size);
    alone.root = 0;
    alone.placement = Placement::kBlock;
    return alone;
  }

  // The scenario of the leaders: one rank of each unit. Those of a node's units share the node.
  Scenario Leaders() const {
    Scenario alone = of;
    alone.ranks = count;
    alone.ppn = are_nodes ? 1 : std::max<int64_t>(1, of.ppn / ppn);
    alone.root = Of(of.root);
    alone.placement = Placement::kBlock;
    return alone;
  }

  int64_t LeaderOf(int64_t unit) const { return cyclic ? unit : unit * ppn; }

  const Scenario& of;
  bool are_nodes;
  bool are_in_nodes;  // each unit's ranks share a node
};

// A step that all units take at once, each among its own ranks. step_of(ranks of a unit) gives the
// step of one unit; it is called only for units with more than `distance` ranks. A unit that sends
// over the network has its nodes for itself.
enum class Which { kAllUnits, kAllButFirst };
template <typename StepOf>
Crossing InUnits(const Units& units, int64_t distance, Which which, const StepOf& step_of) {
  Crossing all;
  all.disjoint = true;
  const int64_t left_out = which == Which::kAllButFirst ? 1 : 0;
  const auto add = [&](int64_t unit_count, int64_t size) {
    if (unit_count == 0 || size <= distance) return;
    const Crossing one = step_of(units.Alone(size));
    all.node_messages += static_cast<double>(unit_count) * one.node_messages;
    all.network_messages += static_cast<double>(unit_count) * one.network_messages;
    all.busiest_node_out = std::max(all.busiest_node_out, one.busiest_node_out);
    all.busiest_node_in = std::max(all.busiest_node_in, one.busiest_node_in);
    all.disjoint = all.disjoint && one.disjoint;
  };
  // The first unit is among the largest.
  add(units.largest_count() - left_out, units.largest());
  add(units.count - units.largest_count(), units.smallest());
  return all;
}

void AddStep(const Crossing& step, double bytes, const model::LocalWork& work, Steps* steps) {
  if (step.node_messages + step.network_messages > 0) steps->Add(step, bytes, work);
}

// Steps that all units take at once, each among its own ranks on one node: over the distances 1, 2,
// 4, ... less than the ranks of a unit.
class InNodes {
 public:
  InNodes(const Units& units, Which which)
      : large_(units.largest()),
        small_(units.smallest()),
        large_count_(units.largest_count()),
        small_count_(units.count - large_count_) {
    // The first unit is among the largest.
    if (which == Which::kAllButFirst) --large_count_;
  }

  // Adds the steps as their mean. messages_of(ranks): the messages of a unit in all its steps.
  template <typename MessagesOf>
  void Add(const MessagesOf& messages_of, bool disjoint, double bytes, const model::LocalWork& work,
           Steps* steps) const {
    const int64_t most = large_count_ > 0 ? large_ : small_count_ > 0 ? small_ : 1;
    if (most == 1) return;
    const auto times = static_cast<double>(topology::DoublingsTo(most));
    Crossing mean;
    mean.node_messages = static_cast<double>(large_count_) * messages_of(large_) / times;
    if (small_count_ > 0) {
      mean.node_messages += static_cast<double>(small_count_) * messages_of(small_) / times;
    }
    mean.disjoint = disjoint;
    steps->Add(mean, bytes, work, times);
  }

  // From the leaders to all ranks, or from all to the leaders: a message for each rank but these.
  void AddTrees(double bytes, const model::LocalWork& work, Steps* steps) const {
    Add([](int64_t ranks) { return static_cast<double>(ranks - 1); }, true, bytes, work, steps);
  }

 private:
  int64_t large_;
  int64_t small_;
  int64_t large_count_;
  int64_t small_count_;
};

void AddUnitTrees(const Units& units, double bytes, Which which, Steps* steps) {
  if (units.are_in_nodes) return InNodes(units, which).AddTrees(bytes, {}, steps);
  for (int64_t distance = topology::FarthestChild(units.largest()); distance > 0; distance /= 2) {
    const auto tree_of = [distance](const Scenario& unit) {
      return FarTreeStep(Rooted(unit, 0), distance);
    };
    AddStep(InUnits(units, distance, which, tree_of), bytes, {}, steps);
  }
}

void AddUnitReductions(const Units& units, double bytes, Steps* steps) {
  if (units.are_in_nodes) {
    return InNodes(units, Which::kAllUnits).AddTrees(bytes, {0, bytes}, steps);
  }
  for (int64_t distance = 1; distance < units.largest(); distance *= 2) {
    const auto tree_of = [distance](const Scenario& unit) {
      return Reversed(FarTreeStep(Rooted(unit, 0), distance));
    };
    AddStep(InUnits(units, distance, Which::kAllUnits, tree_of), bytes, {0, bytes}, steps);
  }
}

Crossing BetweenNeighbors(int64_t node_messages) {
  Crossing step;
  step.node_messages = static_cast<double>(node_messages);
  step.disjoint = true;
  return step;
}

// Leaders of which no two are on the same node.
Crossing AmongFarLeaders(int64_t messages, bool disjoint) {
  Crossing step;
  step.network_messages = static_cast<double>(messages);
  step.busiest_node_out = step.busiest_node_in = messages > 0 ? 1 : 0;
  step.disjoint = disjoint;
  return step;
}

// A message between the root and the leader of its unit.
Crossing OfTheRoot(const Scenario& scenario, int64_t leader) {
  return scenario.NodeOf(leader) == scenario.NodeOf(scenario.root) ? BetweenNeighbors(1)
                                                                   : AmongFarLeaders(1, true);
}

// Recursive doubling.
void AddLeadersExchange(const Units& units, double bytes, Steps* steps) {
  const Scenario leaders = units.Leaders();
  const Fold fold(leaders.ranks, Takes::kOdd);
  const Rooted at(leaders, 0);
  const bool are_far = leaders.ppn == 1;
  Crossing folded;
  if (fold.folded > 0) {
    folded = are_far ? AmongFarLeaders(fold.folded, true) : NeighborSend(at.nodes, fold.folded);
  }
  AddStep(folded, bytes, {0, bytes}, steps);
  if (are_far) {
    steps->Add(AmongFarLeaders(fold.active, false), bytes, {0, bytes},
               topology::ExponentOf(fold.active));
  } else {
    for (int64_t distance = 1; distance < fold.active; distance *= 2) {
      AddStep(FoldedExchange(at, fold, distance), bytes, {0, bytes}, steps);
    }
  }
  AddStep(Reversed(folded), bytes, {}, steps);
}

// The messages of an enumeration, unit by unit.
class Members {
 public:
  Members(const Scenario& scenario, const Knobs& knobs) : units_(ByUnits(scenario, knobs)) {}

  int64_t count() const { return units_.count; }
  int64_t largest() const { return units_.largest(); }
  int64_t SizeOf(int64_t unit) const { return units_.SizeOf(unit); }
  int64_t UnitOf(int64_t rank) const { return units_.Of(rank); }
  int64_t RankOf(int64_t unit, int64_t member) const {
    return units_.cyclic ? unit + member * units_.count : unit * units_.ppn + member;
  }
  int64_t LeaderOf(int64_t unit) const { return RankOf(unit, 0); }

  // Calls edge(parent, child) for the far trees' messages at this distance.
  template <typename Edge>
  void ForEachTreeEdge(int64_t distance, Which which, const Edge& edge) const {
    for (int64_t unit = which == Which::kAllButFirst ? 1 : 0; unit < count(); ++unit) {
      for (int64_t member = 0; member + distance < SizeOf(unit); member += 2 * distance) {
        edge(RankOf(unit, member), RankOf(unit, member + distance));
      }
    }
  }

 private:
  Nodes units_;
};

void EnumerateUnitTrees(const Members& members, double bytes, Which which, Enumeration* out) {
  if (members.largest() == 1) return;
  for (int64_t distance = topology::FarthestChild(members.largest()); distance > 0; distance /= 2) {
    members.ForEachTreeEdge(
        distance, which, [&](int64_t parent, int64_t child) { out->Send(parent, child, bytes); });
    out->EndStep();
  }
}

void EnumerateUnitReductions(const Members& members, double bytes, Enumeration* out) {
  for (int64_t distance = 1; distance < members.largest(); distance *= 2) {
    members.ForEachTreeEdge(distance, Which::kAllUnits, [&](int64_t parent, int64_t child) {
      out->Send(child, parent, bytes);
    });
    out->EndStep();
  }
}

}  // namespace

absl::Status LeadersApply(const Scenario& scenario, const Knobs& knobs) {
  if (knobs.unit_ranks == 0) return absl::OkStatus();
  if (scenario.placement != Placement::kBlock && scenario.node_count() > 1) {
    return absl::FailedPreconditionError("needs consecutive ranks on each node");
  }
  const int64_t unit = knobs.unit_ranks;
  if (scenario.ppn % unit == 0 || unit % scenario.ppn == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs units that divide a node, or whole nodes; ", unit,
                   " ranks do neither of ", scenario.ppn));
}

void BuildLeadersBcast(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Units units(scenario, knobs);
  const Scenario leaders = units.Leaders();
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  if (const int64_t leader = units.LeaderOf(leaders.root); leader != scenario.root) {
    steps.Add(OfTheRoot(scenario, leader), bytes);
  }
  AddFarTree(Rooted(leaders, leaders.root), bytes, &steps);
  AddUnitTrees(units, bytes, Which::kAllUnits, &steps);
}

void EnumerateLeadersBcast(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Members members(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  const Scenario leaders = Units(scenario, knobs).Leaders();
  Enumeration out(scenario, sink);
  if (const int64_t leader = members.LeaderOf(leaders.root); leader != scenario.root) {
    out.Send(scenario.root, leader, bytes);
    out.EndStep();
  }
  const topology::RootedTree tree = topology::RootedTree::Binomial(leaders.ranks, leaders.root);
  for (int level = 0; level < tree.level_count(); ++level) {
    topology::ForEachEdge(tree, level, [&](const topology::RootedTree::Edge& edge) {
      out.Send(members.LeaderOf(edge.parent), members.LeaderOf(edge.child), bytes);
    });
    out.EndStep();
  }
  EnumerateUnitTrees(members, bytes, Which::kAllUnits, &out);
}

void BuildLeadersReduce(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Units units(scenario, knobs);
  const Scenario leaders = units.Leaders();
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  AddUnitReductions(units, bytes, &steps);
  AddReduction(Rooted(leaders, leaders.root), bytes, &steps);
  if (const int64_t leader = units.LeaderOf(leaders.root); leader != scenario.root) {
    steps.Add(OfTheRoot(scenario, leader), bytes);
  }
}

void EnumerateLeadersReduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Members members(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  const Scenario leaders = Units(scenario, knobs).Leaders();
  Enumeration out(scenario, sink);
  EnumerateUnitReductions(members, bytes, &out);
  const topology::RootedTree tree = topology::RootedTree::Binomial(leaders.ranks, leaders.root);
  for (int level = tree.level_count() - 1; level >= 0; --level) {
    topology::ForEachEdge(tree, level, [&](const topology::RootedTree::Edge& edge) {
      out.Send(members.LeaderOf(edge.child), members.LeaderOf(edge.parent), bytes);
    });
    out.EndStep();
  }
  if (const int64_t leader = members.LeaderOf(leaders.root); leader != scenario.root) {
    out.Send(leader, scenario.root, bytes);
    out.EndStep();
  }
}

void BuildLeadersAllreduce(const Scenario& scenario, const Knobs& knobs,
                           model::Schedule* schedule) {
  const Units units(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  AddUnitReductions(units, bytes, &steps);
  AddLeadersExchange(units, bytes, &steps);
  AddUnitTrees(units, bytes, Which::kAllUnits, &steps);
}

void EnumerateLeadersAllreduce(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Members members(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  const Fold fold(members.count(), Takes::kOdd);
  const auto leader = [&](int64_t unit) { return members.LeaderOf(unit); };
  Enumeration out(scenario, sink);
  EnumerateUnitReductions(members, bytes, &out);
  for (int64_t pair = 0; pair < fold.folded; ++pair) {
    out.Send(leader(2 * pair), leader(2 * pair + 1), bytes);
  }
  out.EndStep();
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    for (int64_t v = 0; v < fold.active; ++v) {
      out.Send(leader(fold.RankOf(v)), leader(fold.RankOf(v ^ distance)), bytes);
    }
    out.EndStep();
  }
  for (int64_t pair = 0; pair < fold.folded; ++pair) {
    out.Send(leader(2 * pair + 1), leader(2 * pair), bytes);
  }
  out.EndStep();
  EnumerateUnitTrees(members, bytes, Which::kAllUnits, &out);
}

void BuildLeadersBarrier(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Units units(scenario, knobs);
  const Scenario leaders = units.Leaders();
  Steps steps(schedule);
  if (units.are_in_nodes) {
    const auto shifts_of = [](int64_t ranks) {
      return static_cast<double>(ranks * topology::DoublingsTo(ranks));
    };
    InNodes(units, Which::kAllUnits).Add(shifts_of, false, 0, {}, &steps);
  } else {
    for (int64_t distance = 1; distance < units.largest(); distance *= 2) {
      const auto shift_of = [distance](const Scenario& unit) {
        return Shift(Nodes(unit), distance);
      };
      AddStep(InUnits(units, distance, Which::kAllUnits, shift_of), 0, {}, &steps);
    }
  }
  if (leaders.ppn == 1) {
    steps.Add(AmongFarLeaders(leaders.ranks, false), 0, {}, topology::DoublingsTo(leaders.ranks));
  } else {
    for (int64_t distance = 1; distance < leaders.ranks; distance *= 2) {
      AddStep(Shift(Nodes(leaders), distance), 0, {}, &steps);
    }
  }
  AddUnitTrees(units, 1, Which::kAllUnits, &steps);
}

void EnumerateLeadersBarrier(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Members members(scenario, knobs);
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < members.largest(); distance *= 2) {
    for (int64_t unit = 0; unit < members.count(); ++unit) {
      const int64_t size = members.SizeOf(unit);
      for (int64_t member = 0; distance < size && member < size; ++member) {
        out.Send(members.RankOf(unit, member), members.RankOf(unit, (member + distance) % size), 0);
      }
    }
    out.EndStep();
  }
  for (int64_t distance = 1; distance < members.count(); distance *= 2) {
    for (int64_t unit = 0; unit < members.count(); ++unit) {
      out.Send(members.LeaderOf(unit), members.LeaderOf((unit + distance) % members.count()), 0);
    }
    out.EndStep();
  }
  EnumerateUnitTrees(members, 1, Which::kAllUnits, &out);
}

absl::Status LeadersScanApplies(const Scenario& scenario, const Knobs&) {
  if (scenario.placement == Placement::kBlock || scenario.node_count() == 1) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError("needs consecutive ranks on each node");
}

void BuildLeadersScan(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Units nodes(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  const model::LocalWork combined{0, 2 * bytes};
  Steps steps(schedule);
  const auto pairs_of = [](int64_t ranks) { return static_cast<double>(AllPairedMessages(ranks)); };
  InNodes(nodes, Which::kAllUnits).Add(pairs_of, false, bytes, combined, &steps);
  const int64_t alone = nodes.smallest() == 1 ? nodes.count - nodes.largest_count() : 0;
  if (nodes.largest() > 1) steps.Add(BetweenNeighbors(nodes.count - alone), bytes);
  if (nodes.count > 1) {
    const double rounds = topology::DoublingsTo(nodes.count);
    Crossing exchange = AmongFarLeaders(nodes.count, false);
    exchange.network_messages = static_cast<double>(AllPairedMessages(nodes.count)) / rounds;
    steps.Add(exchange, bytes, combined, rounds);
    steps.Add(AmongFarLeaders(nodes.count - 1, nodes.count == 2), bytes);
  }
  InNodes(nodes, Which::kAllButFirst).AddTrees(bytes, {}, &steps);
}

void EnumerateLeadersScan(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Members members(scenario, knobs);
  const double bytes = VectorBytes(scenario);
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < members.largest(); distance *= 2) {
    for (int64_t node = 0; node < members.count(); ++node) {
      for (int64_t member = 0; member < members.SizeOf(node); ++member) {
        const int64_t partner = member ^ distance;
        if (partner >= members.SizeOf(node)) continue;
        out.Send(members.RankOf(node, member), members.RankOf(node, partner), bytes);
      }
    }
    out.EndStep();
  }
  for (int64_t node = 0; node < members.count(); ++node) {
    const int64_t last = members.SizeOf(node) - 1;
    if (last > 0) out.Send(members.RankOf(node, last), members.LeaderOf(node), bytes);
  }
  out.EndStep();
  for (int64_t distance = 1; distance < members.count(); distance *= 2) {
    for (int64_t node = 0; node < members.count(); ++node) {
      const int64_t partner = node ^ distance;
      if (partner >= members.count()) continue;
      out.Send(members.LeaderOf(node), members.LeaderOf(partner), bytes);
    }
    out.EndStep();
  }
  for (int64_t node = 0; node + 1 < members.count(); ++node) {
    out.Send(members.LeaderOf(node), members.LeaderOf(node + 1), bytes);
  }
  out.EndStep();
  EnumerateUnitTrees(members, bytes, Which::kAllButFirst, &out);
}

}  // namespace cox::strategy
