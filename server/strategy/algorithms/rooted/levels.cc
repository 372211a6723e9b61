#include "strategy/algorithms/rooted/levels.h"

#include <algorithm>

#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/part_stars.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/part.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/rooted_tree.h"
#include "topology/roots.h"

namespace cox::strategy {
namespace {

double BlockBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

// The tree of an algorithm. `lines`: how many of its last levels work in lines of `side` ranks.
struct Plan {
  topology::RootedTree tree;
  int lines;
  int64_t side;
};

Plan TwoLevels(const Scenario& scenario) {
  return {topology::RootedTree::TwoLevels(scenario.ranks, scenario.root), 2,
          topology::CeilSquareRoot(scenario.ranks)};
}

Plan ThreeLevels(const Scenario& scenario) {
  return {topology::RootedTree::ThreeLevels(scenario.ranks, scenario.root), 2,
          topology::CeilSquareRoot(topology::CeilSquareRoot(scenario.ranks))};
}

// The address of an entry names the exchange of a plan and a direction.
constexpr char kPlans[2][2] = {};
const void* NameOf(const Plan& plan, Direction direction) {
  return &kPlans[plan.tree.level_count() - 2][direction == Direction::kFromRoot ? 0 : 1];
}

void BuildPlan(const Plan& plan, Direction direction, const Scenario& scenario,
               model::Schedule* schedule) {
  const int count = plan.tree.level_count();
  for (int i = 0; i < count; ++i) {
    const int level = direction == Direction::kFromRoot ? i : count - 1 - i;
    const ExchangeId id{NameOf(plan, direction), level};
    const Stars stars(scenario, plan.tree.level(level));
    model::Phase& phase = schedule->Add();
    phase.traffic = direction == Direction::kFromRoot ? TrafficOf(stars, id, scenario)
                                                      : TrafficOf(Mirrored(stars), id, scenario);
    const int64_t blocks = plan.tree.level(level).step;  // from one leader to the next
    if (level >= count - plan.lines) phase.submachine = LineOf(scenario, plan.side, blocks);
    // A rank with one block need not divide it.
    if (blocks > 1) phase.work.touched_bytes = static_cast<double>(blocks) * BlockBytes(scenario);
  }
}

// The distances of a binomial tree's messages, in order.
template <typename Step>
void ForEachDistance(Direction direction, int64_t ranks, const Step& step) {
  const topology::RootedTree tree = topology::RootedTree::Binomial(ranks, 0);
  const int count = tree.level_count();
  for (int i = 0; i < count; ++i) {
    step(tree.level(direction == Direction::kFromRoot ? i : count - 1 - i).step);
  }
}

StepLoad Directed(Direction direction, const StepLoad& load) {
  return direction == Direction::kFromRoot ? load : Reversed(load);
}

// Adds a level of a tree as a phase of its own. bytes_of(edge) is the size of a message.
template <typename BytesOf>
void EnumerateLevels(const topology::RootedTree& tree, Direction direction,
                     const Scenario& scenario, MessageSink sink, const BytesOf& bytes_of) {
  Enumeration out(scenario, sink);
  SendAlong(tree, direction, bytes_of, &out, [&out] { out.EndPhase(); });
}

}  // namespace

void EnumerateBlocks(const topology::RootedTree& tree, Direction direction,
                     const Scenario& scenario, MessageSink sink) {
  EnumerateLevels(tree, direction, scenario, sink,
                  [&scenario](const topology::RootedTree::Edge& edge) {
                    return static_cast<double>(edge.blocks.count) * BlockBytes(scenario);
                  });
}

void BuildLinearBlocks(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const double bytes = BlockBytes(scenario);
  model::Phase& phase = schedule->Add();
  phase.traffic = direction == Direction::kFromRoot ? OneToAll(scenario, scenario.root, bytes)
                                                    : AllToOne(scenario, scenario.root, bytes);
  phase.work.touched_bytes = bytes;
}
void EnumerateLinearBlocks(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumerateBlocks(topology::RootedTree::Linear(scenario.ranks, scenario.root), direction, scenario,
                  sink);
}

void BuildBinomialBlocks(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  const Rooted at(scenario, scenario.root);
  Steps steps(schedule);
  ForEachDistance(direction, scenario.ranks, [&](int64_t distance) {
    const StepLoad load =
        Directed(direction, FarTreeScatterStep(at, distance, BlockBytes(scenario)));
    steps.Add(load, TouchingLargest(load));
  });
}
void EnumerateBinomialBlocks(Direction direction, const Scenario& scenario, MessageSink sink) {
  Enumeration out(scenario, sink);
  const auto enumerate = direction == Direction::kFromRoot ? EnumerateScatter : EnumerateGather;
  enumerate(scenario, scenario.root, BlockBytes(scenario), &out);
}

void BuildTwoLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  BuildPlan(TwoLevels(scenario), direction, scenario, schedule);
}
void EnumerateTwoLevels(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumerateBlocks(TwoLevels(scenario).tree, direction, scenario, sink);
}

void BuildThreeLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  BuildPlan(ThreeLevels(scenario), direction, scenario, schedule);
}
void EnumerateThreeLevels(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumerateBlocks(ThreeLevels(scenario).tree, direction, scenario, sink);
}

void BuildHalving(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  const Rooted at(scenario, scenario.root);
  Steps steps(schedule);
  ForEachDistance(direction, scenario.ranks, [&](int64_t distance) {
    const StepLoad load =
        Directed(direction, FarTreeScatterStep(at, distance, BlockBytes(scenario)));
    steps.Add(load, TouchingLargest(load));
    steps.EndPhase(CutTo(scenario, 2 * distance));
  });
}
void EnumerateHalving(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumerateBlocks(topology::RootedTree::Binomial(scenario.ranks, scenario.root), direction,
                  scenario, sink);
}

void BuildOurBroadcast(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  const Rooted at(scenario, scenario.root);
  const double bytes = static_cast<double>(scenario.ranks) * BlockBytes(scenario);
  const int64_t last =
      direction == Direction::kFromRoot ? 1 : topology::FarthestChild(scenario.ranks);
  Steps steps(schedule);
  ForEachDistance(direction, scenario.ranks, [&](int64_t distance) {
    // After the last message every rank searches all blocks for its own.
    model::LocalWork work;
    if (distance == last) work.touched_bytes = bytes;
    steps.Add(Directed(direction, LoadOf(FarTreeStep(at, distance), bytes)), work);
    steps.EndPhase(CutTo(scenario, std::min(2 * distance, scenario.ranks)));
  });
}

void EnumerateOurBroadcast(Direction direction, const Scenario& scenario, MessageSink sink) {
  const double bytes = static_cast<double>(scenario.ranks) * BlockBytes(scenario);
  EnumerateLevels(topology::RootedTree::Binomial(scenario.ranks, scenario.root), direction,
                  scenario, sink, [bytes](const topology::RootedTree::Edge&) { return bytes; });
}

void BuildSystemBroadcast(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  // After the last step every rank searches all blocks for its own: a share of it in each step.
  model::LocalWork work;
  const auto ranks = static_cast<double>(scenario.ranks);
  if (ranks > 1) work.touched_bytes = ranks * BlockBytes(scenario) / (ranks - 1);
  Steps steps(schedule);
  AddScatterRing(Rooted(scenario, scenario.root), BlockBytes(scenario), work, &steps);
}

void EnumerateSystemBroadcast(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateScatterRing(scenario, scenario.root, BlockBytes(scenario), &out);
}

}  // namespace cox::strategy
