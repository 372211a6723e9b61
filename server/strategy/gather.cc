#include "strategy/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/patterns.h"
#include "strategy/star.h"
#include "strategy/steps.h"
#include "strategy/tree_steps.h"

namespace cox::strategy {
namespace {

double BlockBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

void BuildLinear(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  model::Phase& phase = schedule->Add();
  phase.traffic = AllToOne(scenario, scenario.root, BlockBytes(scenario));
  phase.work.touched_bytes = BlockBytes(scenario);
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    if (rank != scenario.root) out.SendIn(0, rank, scenario.root, BlockBytes(scenario));
  }
}

void BuildBinomial(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Rooted at(scenario, scenario.root);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    const StepLoad load = Reversed(FarTreeScatterStep(at, distance, BlockBytes(scenario)));
    steps.Add(load, TouchingLargest(load));
  }
}

void EnumerateBinomial(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateGather(scenario, scenario.root, BlockBytes(scenario), &out);
}

constexpr Algorithm kAlgorithms[] = {
    {Collective::kGather, "linear", "every rank sends to the root at once", "",
     "Open MPI v4.1.4, coll/base: gather_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {Collective::kGather, "binomial",
     "binomial tree, nearest child first, each message all of its subtree", "",
     "MPICH v4.0.2, src/mpi/coll: gather_intra_binomial", AlwaysApplies, BuildBinomial,
     EnumerateBinomial},
};

}  // namespace

absl::Span<const Algorithm> GatherAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
