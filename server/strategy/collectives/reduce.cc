#include "domain/collective.h"
#include "strategy/algorithms/folded_halves.h"
#include "strategy/algorithms/node_leaders.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/chain.h"
#include "strategy/algorithms/rooted/gather_halves.h"
#include "strategy/algorithms/rooted/segmented_tree.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

double VectorBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

void BuildLinear(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  model::Phase& phase = schedule->Add();
  phase.traffic = AllToOne(scenario, scenario.root, VectorBytes(scenario));
  phase.work.reduced_bytes = static_cast<double>(scenario.ranks - 1) * VectorBytes(scenario);
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    if (rank != scenario.root) out.SendIn(0, rank, scenario.root, VectorBytes(scenario));
  }
}

void BuildBinomial(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  Steps steps(schedule);
  AddReduction(Rooted(scenario, scenario.root), VectorBytes(scenario), &steps);
}

void EnumerateBinomial(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateReduction(scenario, scenario.root, VectorBytes(scenario), &out);
}

// The tree's root is the last rank. It passes the result on if it is not the collective's root.
void BuildInOrderBinary(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  AddTree(InOrderBinaryTree(scenario), Direction::kToRoot, scenario,
          {VectorBytes(scenario), knobs.segment_bytes}, schedule);
  if (scenario.root == scenario.ranks - 1) return;
  schedule->Add().traffic =
      OneToOne(scenario, scenario.ranks - 1, scenario.root, VectorBytes(scenario));
}

void EnumerateInOrderBinary(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  EnumerateTree(InOrderBinaryTree(scenario), Direction::kToRoot, scenario,
                {VectorBytes(scenario), knobs.segment_bytes}, sink);
  if (scenario.root == scenario.ranks - 1) return;
  sink({1, 0, scenario.ranks - 1, scenario.root, VectorBytes(scenario)});
}

// Reduce-scatter by halves, then the parts of the result to the root.
void AddHalves(const Rooted& at, const Fold& fold, double bytes, Steps* steps) {
  double part_bytes = bytes / 2;
  for (int64_t distance = 1; distance < fold.active; distance *= 2, part_bytes /= 2) {
    steps->Add(FoldedExchange(at, fold, distance), part_bytes, {0, part_bytes});
  }
}

void EnumerateHalves(const Fold& fold, double bytes, Enumeration* out) {
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    for (int64_t v = 0; v < fold.active; ++v) {
      out->Send(fold.RankOf(v), fold.RankOf(v ^ distance),
                bytes / static_cast<double>(2 * distance));
    }
    out->EndStep();
  }
}

// The first ranks beyond a power of two exchange halves in pairs; the even ranks of the pairs go
// on.
void BuildRabenseifner(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  {
    Steps steps(schedule);
    AddFoldedHalves(at.nodes, fold, bytes, &steps);
    AddHalves(at, fold, bytes, &steps);
  }
  AddGatherOfHalves(scenario, fold, schedule);
}

void EnumerateRabenseifner(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  EnumerateFoldedHalves(fold, bytes, &out);
  EnumerateHalves(fold, bytes, &out);
  EnumerateGatherOfHalves(scenario, fold, &out);
}

// The inactive odd ranks send their whole vector.
void BuildRabenseifnerWhole(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  {
    Steps steps(schedule);
    if (fold.folded > 0) {
      steps.Add(Reversed(NeighborSend(at.nodes, fold.folded)), bytes, {0, bytes});
    }
    AddHalves(at, fold, bytes, &steps);
  }
  AddGatherOfHalves(scenario, fold, schedule);
}

void EnumerateRabenseifnerWhole(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair + 1, 2 * pair, bytes);
  out.EndStep();
  EnumerateHalves(fold, bytes, &out);
  EnumerateGatherOfHalves(scenario, fold, &out);
}

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kReduce, "linear", "all send to the root, which combines", "",
     "Open MPI v4.1.4, coll/base: reduce_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {domain::Collective::kReduce, "chain",
     "chains of ranks, 4 unless `fanout` says otherwise, combine on their way to the root",
     "segment,fanout", "Open MPI v4.1.4, coll/base: reduce_intra_chain, topo_build_chain",
     ChainApplies, BuildChains<Direction::kToRoot>, EnumerateChains<Direction::kToRoot>},
    {domain::Collective::kReduce, "pipeline", "one chain of all ranks", "segment",
     "Open MPI v4.1.4, coll/base: reduce_intra_pipeline", AlwaysApplies,
     BuildPipeline<Direction::kToRoot>, EnumeratePipeline<Direction::kToRoot>},
    {domain::Collective::kReduce, "binary", "up a binary tree", "segment",
     "Open MPI v4.1.4, coll/base: reduce_intra_binary, topo_build_tree", AlwaysApplies,
     BuildBinary<Direction::kToRoot>, EnumerateBinary<Direction::kToRoot>},
    {domain::Collective::kReduce, "binomial", "up a binomial tree, nearest child first", "",
     "Open MPI v4.1.4, coll/base: reduce_intra_binomial, topo_build_in_order_bmtree; MPICH "
     "v4.0.2, src/mpi/coll: reduce_intra_binomial",
     AlwaysApplies, BuildBinomial, EnumerateBinomial},
    {domain::Collective::kReduce, "in-order-binary",
     "up a binary tree that combines in the order of ranks, then from its top to the root",
     "segment",
     "Open MPI v4.1.4, coll/base: reduce_intra_in_order_binary, topo_build_in_order_bintree",
     AlwaysApplies, BuildInOrderBinary, EnumerateInOrderBinary},
    {domain::Collective::kReduce, "rabenseifner",
     "reduce-scatter by recursive halving, then a binomial gather", "",
     "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations "
     "in MPICH, 2005; Open MPI v4.1.4, coll/base: reduce_intra_redscat_gather",
     AlwaysApplies, BuildRabenseifner, EnumerateRabenseifner},
    {domain::Collective::kReduce, "rabenseifner-whole",
     "the same, after ranks beyond a power of two gave their whole vector to a neighbour", "",
     "MPICH v4.0.2, src/mpi/coll: reduce_intra_reduce_scatter_gather", AlwaysApplies,
     BuildRabenseifnerWhole, EnumerateRabenseifnerWhole},
    {domain::Collective::kReduce, "node-leaders",
     "up binomial trees in each node, or each `unit` ranks, then from the leaders", "unit",
     "MPICH v4.0.2, src/mpi/coll: reduce_intra_smp", LeadersApply, BuildLeadersReduce,
     EnumerateLeadersReduce},
};

}  // namespace

absl::Span<const Algorithm> ReduceAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
