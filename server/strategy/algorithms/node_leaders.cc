#include "strategy/algorithms/node_leaders.h"

#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

double VectorBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

// The scenario of one node's ranks, as its leader sees it.
Scenario NodeAlone(const Scenario& scenario, int64_t size) {
  Scenario alone = scenario;
  alone.ranks = alone.ppn = size;
  alone.root = 0;
  alone.placement = Placement::kBlock;
  return alone;
}

// The scenario of the leaders: one rank on each node.
Scenario LeadersAlone(const Scenario& scenario, const Nodes& nodes) {
  Scenario alone = scenario;
  alone.ranks = nodes.count;
  alone.ppn = 1;
  alone.root = nodes.Of(scenario.root);
  alone.placement = Placement::kBlock;
  return alone;
}

// A step that all nodes take at once, each among its own ranks. step_of(ranks of a node) gives the
// step of one node; it is called only for nodes with more than `distance` ranks.
enum class Which { kAllNodes, kAllButFirst };
template <typename StepOf>
Crossing InNodes(const Scenario& scenario, const Nodes& nodes, int64_t distance, Which which,
                 const StepOf& step_of) {
  Crossing all;
  all.disjoint = true;
  const int64_t left_out = which == Which::kAllButFirst ? 1 : 0;
  const auto add = [&](int64_t node_count, int64_t size) {
    if (node_count == 0 || size <= distance) return;
    const Crossing one = step_of(NodeAlone(scenario, size));
    all.node_messages += static_cast<double>(node_count) * one.node_messages;
    all.disjoint = all.disjoint && one.disjoint;
  };
  // The first node is among the largest.
  add(nodes.largest_count() - left_out, nodes.largest());
  add(nodes.count - nodes.largest_count(), nodes.smallest());
  return all;
}

void AddStep(const Crossing& step, double bytes, const model::LocalWork& work, Steps* steps) {
  if (step.node_messages + step.network_messages > 0) steps->Add(step, bytes, work);
}

void AddNodeTrees(const Scenario& scenario, const Nodes& nodes, double bytes, Which which,
                  Steps* steps) {
  if (nodes.largest() == 1) return;
  for (int64_t distance = topology::FarthestChild(nodes.largest()); distance > 0; distance /= 2) {
    const auto tree_of = [distance](const Scenario& node) {
      return FarTreeStep(Rooted(node, 0), distance);
    };
    AddStep(InNodes(scenario, nodes, distance, which, tree_of), bytes, {}, steps);
  }
}

void AddNodeReductions(const Scenario& scenario, const Nodes& nodes, double bytes, Steps* steps) {
  for (int64_t distance = 1; distance < nodes.largest(); distance *= 2) {
    const auto tree_of = [distance](const Scenario& node) {
      return Reversed(FarTreeStep(Rooted(node, 0), distance));
    };
    AddStep(InNodes(scenario, nodes, distance, Which::kAllNodes, tree_of), bytes, {0, bytes},
            steps);
  }
}

Crossing BetweenNeighbors(int64_t node_messages) {
  Crossing step;
  step.node_messages = static_cast<double>(node_messages);
  step.disjoint = true;
  return step;
}

Crossing AmongLeaders(int64_t messages, bool disjoint) {
  Crossing step;
  step.network_messages = static_cast<double>(messages);
  step.busiest_node_out = step.busiest_node_in = messages > 0 ? 1 : 0;
  step.disjoint = disjoint;
  return step;
}

// The messages of an enumeration, node by node.
class Members {
 public:
  explicit Members(const Scenario& scenario) : nodes_(scenario) {}

  int64_t count() const { return nodes_.count; }
  int64_t largest() const { return nodes_.largest(); }
  int64_t SizeOf(int64_t node) const { return nodes_.SizeOf(node); }
  int64_t NodeOf(int64_t rank) const { return nodes_.Of(rank); }
  int64_t RankOf(int64_t node, int64_t member) const {
    return nodes_.cyclic ? node + member * nodes_.count : node * nodes_.ppn + member;
  }
  int64_t LeaderOf(int64_t node) const { return RankOf(node, 0); }

  // Calls edge(parent, child) for the far trees' messages at this distance.
  template <typename Edge>
  void ForEachTreeEdge(int64_t distance, Which which, const Edge& edge) const {
    for (int64_t node = which == Which::kAllButFirst ? 1 : 0; node < count(); ++node) {
      for (int64_t member = 0; member + distance < SizeOf(node); member += 2 * distance) {
        edge(RankOf(node, member), RankOf(node, member + distance));
      }
    }
  }

 private:
  Nodes nodes_;
};

void EnumerateNodeTrees(const Members& members, double bytes, Which which, Enumeration* out) {
  if (members.largest() == 1) return;
  for (int64_t distance = topology::FarthestChild(members.largest()); distance > 0; distance /= 2) {
    members.ForEachTreeEdge(
        distance, which, [&](int64_t parent, int64_t child) { out->Send(parent, child, bytes); });
    out->EndStep();
  }
}

void EnumerateNodeReductions(const Members& members, double bytes, Enumeration* out) {
  for (int64_t distance = 1; distance < members.largest(); distance *= 2) {
    members.ForEachTreeEdge(distance, Which::kAllNodes, [&](int64_t parent, int64_t child) {
      out->Send(child, parent, bytes);
    });
    out->EndStep();
  }
}

}  // namespace

void BuildLeadersBcast(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const Scenario leaders = LeadersAlone(scenario, nodes);
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  if (Members(scenario).LeaderOf(leaders.root) != scenario.root) {
    steps.Add(BetweenNeighbors(1), bytes);
  }
  AddFarTree(Rooted(leaders, leaders.root), bytes, &steps);
  AddNodeTrees(scenario, nodes, bytes, Which::kAllNodes, &steps);
}

void EnumerateLeadersBcast(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Members members(scenario);
  const double bytes = VectorBytes(scenario);
  const Scenario leaders = LeadersAlone(scenario, Nodes(scenario));
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
  EnumerateNodeTrees(members, bytes, Which::kAllNodes, &out);
}

void BuildLeadersReduce(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const Scenario leaders = LeadersAlone(scenario, nodes);
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  AddNodeReductions(scenario, nodes, bytes, &steps);
  AddReduction(Rooted(leaders, leaders.root), bytes, &steps);
  if (Members(scenario).LeaderOf(leaders.root) != scenario.root) {
    steps.Add(BetweenNeighbors(1), bytes);
  }
}

void EnumerateLeadersReduce(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Members members(scenario);
  const double bytes = VectorBytes(scenario);
  const Scenario leaders = LeadersAlone(scenario, Nodes(scenario));
  Enumeration out(scenario, sink);
  EnumerateNodeReductions(members, bytes, &out);
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

void BuildLeadersAllreduce(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const double bytes = VectorBytes(scenario);
  const Fold fold(nodes.count, Takes::kOdd);
  Steps steps(schedule);
  AddNodeReductions(scenario, nodes, bytes, &steps);
  AddStep(AmongLeaders(fold.folded, true), bytes, {0, bytes}, &steps);
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    AddStep(AmongLeaders(fold.active, false), bytes, {0, bytes}, &steps);
  }
  AddStep(AmongLeaders(fold.folded, true), bytes, {}, &steps);
  AddNodeTrees(scenario, nodes, bytes, Which::kAllNodes, &steps);
}

void EnumerateLeadersAllreduce(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Members members(scenario);
  const double bytes = VectorBytes(scenario);
  const Fold fold(members.count(), Takes::kOdd);
  const auto leader = [&](int64_t node) { return members.LeaderOf(node); };
  Enumeration out(scenario, sink);
  EnumerateNodeReductions(members, bytes, &out);
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
  EnumerateNodeTrees(members, bytes, Which::kAllNodes, &out);
}

void BuildLeadersBarrier(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < nodes.largest(); distance *= 2) {
    const auto shift_of = [distance](const Scenario& node) { return Shift(Nodes(node), distance); };
    AddStep(InNodes(scenario, nodes, distance, Which::kAllNodes, shift_of), 0, {}, &steps);
  }
  for (int64_t distance = 1; distance < nodes.count; distance *= 2) {
    AddStep(AmongLeaders(nodes.count, false), 0, {}, &steps);
  }
  AddNodeTrees(scenario, nodes, 1, Which::kAllNodes, &steps);
}

void EnumerateLeadersBarrier(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Members members(scenario);
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < members.largest(); distance *= 2) {
    for (int64_t node = 0; node < members.count(); ++node) {
      const int64_t size = members.SizeOf(node);
      for (int64_t member = 0; distance < size && member < size; ++member) {
        out.Send(members.RankOf(node, member), members.RankOf(node, (member + distance) % size), 0);
      }
    }
    out.EndStep();
  }
  for (int64_t distance = 1; distance < members.count(); distance *= 2) {
    for (int64_t node = 0; node < members.count(); ++node) {
      out.Send(members.LeaderOf(node), members.LeaderOf((node + distance) % members.count()), 0);
    }
    out.EndStep();
  }
  EnumerateNodeTrees(members, 1, Which::kAllNodes, &out);
}

absl::Status LeadersScanApplies(const Scenario& scenario, const Knobs&) {
  if (scenario.placement == Placement::kBlock || scenario.node_count() == 1) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError("needs consecutive ranks on each node");
}

void BuildLeadersScan(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const double bytes = VectorBytes(scenario);
  const model::LocalWork combined{0, 2 * bytes};
  Steps steps(schedule);
  for (int64_t distance = 1; distance < nodes.largest(); distance *= 2) {
    const auto pairs_of = [distance](const Scenario& node) {
      Crossing step;
      step.node_messages = static_cast<double>(PairedMessages(node.ranks, distance));
      return step;
    };
    AddStep(InNodes(scenario, nodes, distance, Which::kAllNodes, pairs_of), bytes, combined,
            &steps);
  }
  const int64_t alone = nodes.smallest() == 1 ? nodes.count - nodes.largest_count() : 0;
  if (nodes.largest() > 1) steps.Add(BetweenNeighbors(nodes.count - alone), bytes);
  for (int64_t distance = 1; distance < nodes.count; distance *= 2) {
    AddStep(AmongLeaders(PairedMessages(nodes.count, distance), false), bytes, combined, &steps);
  }
  if (nodes.count > 1) steps.Add(AmongLeaders(nodes.count - 1, nodes.count == 2), bytes);
  AddNodeTrees(scenario, nodes, bytes, Which::kAllButFirst, &steps);
}

void EnumerateLeadersScan(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Members members(scenario);
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
  EnumerateNodeTrees(members, bytes, Which::kAllButFirst, &out);
}

}  // namespace cox::strategy
