#include "strategy/levels.h"

#include <array>

#include "absl/types/span.h"
#include "strategy/enumeration.h"
#include "strategy/part.h"
#include "strategy/patterns.h"
#include "strategy/roots.h"
#include "strategy/stars.h"
#include "strategy/steps.h"
#include "strategy/tree_steps.h"

namespace cox::strategy {
namespace {

double BlockBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

// The levels of an algorithm, the whole machine first. `lines`: on how many of the last ones ranks
// work in lines of `side`.
struct Plan {
  std::array<Stars::Level, 3> levels;
  size_t count;
  size_t lines;
  int64_t side;
};

Plan TwoLevels(int64_t ranks) {
  const int64_t side = CeilSquareRoot(ranks);
  return {{{{ranks, side}, {side, 1}}}, 2, 2, side};
}

Plan ThreeLevels(int64_t ranks) {
  const int64_t square = CeilSquareRoot(ranks);
  const int64_t side = CeilSquareRoot(square);
  return {{{{ranks, square}, {square, side}, {side, 1}}}, 3, 2, side};
}

// Exchanges of different plans, directions and levels have different names: their addresses.
constexpr char kPlans[2][2] = {};
const void* NameOf(const Plan& plan, Direction direction) {
  return &kPlans[plan.count - 2][direction == Direction::kFromRoot ? 0 : 1];
}

void BuildPlan(const Plan& plan, Direction direction, const Scenario& scenario,
               model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  for (size_t i = 0; i < plan.count; ++i) {
    const size_t level = direction == Direction::kFromRoot ? i : plan.count - 1 - i;
    const ExchangeId id{NameOf(plan, direction), static_cast<int64_t>(level)};
    const Stars stars(scenario, plan.levels[level]);
    model::Phase& phase = schedule->Add();
    phase.traffic = direction == Direction::kFromRoot ? TrafficOf(stars, id, scenario)
                                                      : TrafficOf(Mirrored(stars), id, scenario);
    if (level >= plan.count - plan.lines) phase.submachine = LineOf(scenario, plan.side);
    // Whoever has one block only need not take it apart.
    const int64_t blocks = plan.levels[level].step;
    if (blocks > 1) phase.work.touched_bytes = static_cast<double>(blocks) * BlockBytes(scenario);
  }
}

void EnumeratePlan(const Plan& plan, Direction direction, const Scenario& scenario,
                   MessageSink sink) {
  Enumeration out(scenario, sink);
  for (size_t i = 0; i < plan.count; ++i) {
    const size_t level = direction == Direction::kFromRoot ? i : plan.count - 1 - i;
    const auto [span, step] = plan.levels[level];
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      const int64_t centre = rank / span * span + scenario.root % span;
      if (rank == centre || (rank - centre) % step != 0) continue;
      const double bytes = static_cast<double>(step) * BlockBytes(scenario);
      if (direction == Direction::kFromRoot) out.Send(centre, rank, bytes);
      if (direction == Direction::kToRoot) out.Send(rank, centre, bytes);
    }
    out.EndPhase();
  }
}

// The distances of a binomial tree's messages in their order.
template <typename Step>
void ForEachDistance(Direction direction, int64_t ranks, const Step& step) {
  if (ranks == 1) return;
  if (direction == Direction::kFromRoot) {
    for (int64_t distance = FarthestChild(ranks); distance > 0; distance /= 2) step(distance);
  } else {
    for (int64_t distance = 1; distance < ranks; distance *= 2) step(distance);
  }
}

StepLoad Directed(Direction direction, const StepLoad& load) {
  return direction == Direction::kFromRoot ? load : Reversed(load);
}

// A step of a tree as a phase of its own; bytes_of(v, distance) of a child v.
template <typename BytesOf>
void EnumerateTree(Direction direction, const Scenario& scenario, MessageSink sink,
                   const BytesOf& bytes_of) {
  Enumeration out(scenario, sink);
  ForEachDistance(direction, scenario.ranks, [&](int64_t distance) {
    ForEachFarEdge(scenario, scenario.root, distance,
                   [&](int64_t parent, int64_t child, int64_t v) {
                     const double bytes = bytes_of(v, distance);
                     if (direction == Direction::kFromRoot) out.Send(parent, child, bytes);
                     if (direction == Direction::kToRoot) out.Send(child, parent, bytes);
                   });
    out.EndPhase();
  });
}

}  // namespace

void BuildTwoLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  BuildPlan(TwoLevels(scenario.ranks), direction, scenario, schedule);
}
void EnumerateTwoLevels(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumeratePlan(TwoLevels(scenario.ranks), direction, scenario, sink);
}

void BuildThreeLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  BuildPlan(ThreeLevels(scenario.ranks), direction, scenario, schedule);
}
void EnumerateThreeLevels(Direction direction, const Scenario& scenario, MessageSink sink) {
  EnumeratePlan(ThreeLevels(scenario.ranks), direction, scenario, sink);
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
  EnumerateTree(direction, scenario, sink, [&scenario](int64_t /*v*/, int64_t distance) {
    return static_cast<double>(distance) * BlockBytes(scenario);
  });
}

void BuildOurBroadcast(Direction direction, const Scenario& scenario, model::Schedule* schedule) {
  const Rooted at(scenario, scenario.root);
  const double bytes = static_cast<double>(scenario.ranks) * BlockBytes(scenario);
  const int64_t last = direction == Direction::kFromRoot ? 1 : FarthestChild(scenario.ranks);
  Steps steps(schedule);
  ForEachDistance(direction, scenario.ranks, [&](int64_t distance) {
    // Once everything has arrived, everybody looks for what is its own.
    model::LocalWork work;
    if (distance == last) work.touched_bytes = bytes;
    steps.Add(Directed(direction, LoadOf(FarTreeStep(at, distance), bytes)), work);
    steps.EndPhase(CutTo(scenario, std::min(2 * distance, scenario.ranks)));
  });
}
void EnumerateOurBroadcast(Direction direction, const Scenario& scenario, MessageSink sink) {
  const double bytes = static_cast<double>(scenario.ranks) * BlockBytes(scenario);
  EnumerateTree(direction, scenario, sink, [bytes](int64_t, int64_t) { return bytes; });
}

}  // namespace cox::strategy
