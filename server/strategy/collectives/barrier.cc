// Barriers: messages without bytes, for any block size of the scenario.
#include "domain/collective.h"
#include "strategy/algorithms/node_leaders.h"
#include "strategy/algorithms/relay.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

void BuildLinear(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  schedule->Add().traffic = AllToOne(scenario, 0, 0);
  schedule->Add().traffic = OneToAll(scenario, 0, 0);
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 1; rank < scenario.ranks; ++rank) out.Send(rank, 0, 0);
  out.EndPhase();
  for (int64_t rank = 1; rank < scenario.ranks; ++rank) out.Send(0, rank, 0);
  out.EndPhase();
}

constexpr Relay kTwoTurns = {0, 0, true, 2};

void BuildDoubleRing(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  AddRelay(kTwoTurns, scenario, schedule);
}

void EnumerateDoubleRing(const Scenario& scenario, const Knobs&, MessageSink sink) {
  EnumerateRelay(kTwoTurns, scenario, sink);
}

void BuildDissemination(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < nodes.ranks; distance *= 2) {
    steps.Add(Shift(nodes, distance), 0);
  }
}

void EnumerateDissemination(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.Send(rank, (rank + distance) % scenario.ranks, 0);
    }
    out.EndStep();
  }
}

// The largest power of two of ranks exchange. Each other rank signals the active rank with its
// number modulo that power, and gets a signal from it at the end.
int64_t ActiveRanks(int64_t ranks) { return Fold(ranks, Takes::kEven).active; }

// The first `active` ranks, placed on nodes as in the whole scenario.
Rooted FirstRanks(const Scenario& scenario, int64_t active) {
  Rooted at(scenario, 0);
  Nodes& nodes = at.nodes;
  nodes.ranks = active;
  if (!nodes.cyclic) {
    nodes.ppn = std::min(nodes.ppn, active);
    nodes.count = (active + nodes.ppn - 1) / nodes.ppn;
  }
  at.block = RotatedNodes(nodes, 0);
  return at;
}

void BuildRecursiveDoubling(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const int64_t active = ActiveRanks(scenario.ranks);
  const Rooted all(scenario, 0);
  const Rooted first = FirstRanks(scenario, active);
  Steps steps(schedule);
  if (active < scenario.ranks) steps.Add(Reversed(NearTreeStep(all, active)), 0);
  for (int64_t distance = 1; distance < active; distance *= 2) {
    steps.Add(RotatedExchange(first, distance), 0);
  }
  if (active < scenario.ranks) steps.Add(NearTreeStep(all, active), 0);
}

void EnumerateRecursiveDoubling(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const int64_t active = ActiveRanks(scenario.ranks);
  Enumeration out(scenario, sink);
  for (int64_t rank = active; rank < scenario.ranks; ++rank) out.Send(rank, rank - active, 0);
  out.EndStep();
  for (int64_t distance = 1; distance < active; distance *= 2) {
    for (int64_t rank = 0; rank < active; ++rank) out.Send(rank, rank ^ distance, 0);
    out.EndStep();
  }
  for (int64_t rank = active; rank < scenario.ranks; ++rank) out.Send(rank - active, rank, 0);
  out.EndStep();
}

void BuildTree(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  AddReduction(at, 0, &steps);
  AddFarTree(at, 0, &steps);
}

void EnumerateTree(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateReduction(scenario, 0, 0, &out);
  EnumerateFarTree(scenario, 0, 0, &out);
}

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kBarrier, "linear", "all tell rank 0, which tells all", "",
     "Open MPI v4.1.4, coll/base: barrier_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {domain::Collective::kBarrier, "double-ring", "a message goes round the ring twice", "",
     "Open MPI v4.1.4, coll/base: barrier_intra_doublering", AlwaysApplies, BuildDoubleRing,
     EnumerateDoubleRing},
    {domain::Collective::kBarrier, "recursive-doubling",
     "log2 p exchanges; ranks beyond a power of two tell a partner and hear from it", "",
     "Open MPI v4.1.4, coll/base: barrier_intra_recursivedoubling", AlwaysApplies,
     BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kBarrier, "dissemination",
     "ceil(log2 p) steps; in each a rank tells the one twice as far on", "",
     "D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, 1988; Open MPI "
     "v4.1.4, coll/base: barrier_intra_bruck; MPICH v4.0.2, src/mpi/coll: "
     "barrier_intra_dissemination",
     AlwaysApplies, BuildDissemination, EnumerateDissemination},
    {domain::Collective::kBarrier, "tree", "up a binomial tree to rank 0, then down", "",
     "Open MPI v4.1.4, coll/base: barrier_intra_tree", AlwaysApplies, BuildTree, EnumerateTree},
    {domain::Collective::kBarrier, "node-leaders",
     "in each node, or each `unit` ranks, among the leaders, and back", "unit",
     "MPICH v4.0.2, src/mpi/coll: barrier_intra_smp", LeadersApply, BuildLeadersBarrier,
     EnumerateLeadersBarrier},
};

}  // namespace

absl::Span<const Algorithm> BarrierAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
