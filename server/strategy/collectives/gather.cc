#include "domain/collective.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/gather_linear_sync.h"
#include "strategy/algorithms/rooted/gather_windowed.h"
#include "strategy/algorithms/rooted/levels.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/algorithms/rooted/uneven_halves.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/patterns.h"

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
  EnumerateBlocks(topology::RootedTree::Linear(scenario.ranks, scenario.root), Direction::kToRoot,
                  scenario, sink);
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
    {domain::Collective::kGather, "linear", "every rank sends to the root at once", "",
     "Open MPI v4.1.4, coll/base: gather_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {domain::Collective::kGather, "binomial",
     "binomial tree, nearest child first, each message all of its subtree", "",
     "MPICH v4.0.2, src/mpi/coll: gather_intra_binomial", AlwaysApplies, BuildBinomial,
     EnumerateBinomial},
    {domain::Collective::kGather, "linear-sync", "the root asks one rank after another", "",
     "Open MPI v4.1.4, coll/base: gather_intra_linear_sync", AlwaysApplies, BuildGatherLinearSync,
     EnumerateGatherLinearSync},
    {domain::Collective::kGather, "windowed",
     "linear with a window of senders, passed on by signals", "window",
     "A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on "
     "cluster, 1999, Algorithm 1",
     AlwaysApplies, BuildGatherWindowed, EnumerateGatherWindowed},
    {domain::Collective::kGather, "1-lev-our-br",
     "up a binomial tree, every message as long as everything", "", kHambrusch, AlwaysApplies,
     BuildDirected<Direction::kToRoot, BuildOurBroadcast>,
     EnumerateDirected<Direction::kToRoot, EnumerateOurBroadcast>},
    {domain::Collective::kGather, "2-lev-rec",
     "along the rows of a square of ranks, then along the root's column", "", kHambrusch,
     NeedsSquareRanks, BuildDirected<Direction::kToRoot, BuildTwoLevels>,
     EnumerateDirected<Direction::kToRoot, EnumerateTwoLevels>},
    {domain::Collective::kGather, "3-lev-sq",
     "2-lev-rec in squares of sqrt(p) ranks, then from their leaders", "", kHambrusch,
     NeedsFourthPowerRanks, BuildDirected<Direction::kToRoot, BuildThreeLevels>,
     EnumerateDirected<Direction::kToRoot, EnumerateThreeLevels>},
    {domain::Collective::kGather, "logp-lev-sq",
     "the same in both halves, then one message from the other half", "", kHambrusch,
     NeedsPowerOfTwoRanks, BuildDirected<Direction::kToRoot, BuildHalving>,
     EnumerateDirected<Direction::kToRoot, EnumerateHalving>},
    {domain::Collective::kGather, "logp-lev-rec",
     "logp-lev-sq where 3/4 of a part, or `gamma` per mille, are its leader's own", "gamma",
     kHambrusch, UnevenHalvesApply, BuildUnevenHalves<Direction::kToRoot>,
     EnumerateUnevenHalves<Direction::kToRoot>},
};

}  // namespace

absl::Span<const Algorithm> GatherAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
