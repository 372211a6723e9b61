#include "domain/collective.h"
#include "strategy/algorithms/node_leaders.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/chain.h"
#include "strategy/algorithms/rooted/knomial.h"
#include "strategy/algorithms/rooted/segmented_tree.h"
#include "strategy/algorithms/rooted/split_binary.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

double MessageBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }
double ChunkBytes(const Scenario& scenario) {
  return MessageBytes(scenario) / static_cast<double>(scenario.ranks);
}

void BuildLinear(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  schedule->Add().traffic = OneToAll(scenario, scenario.root, MessageBytes(scenario));
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
    if (rank != scenario.root) out.SendIn(0, scenario.root, rank, MessageBytes(scenario));
  }
}

void BuildNearBinomial(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  Steps steps(schedule);
  AddNearTree(Rooted(scenario, scenario.root), MessageBytes(scenario), &steps);
}

void EnumerateNearBinomial(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateNearTree(scenario, scenario.root, MessageBytes(scenario), &out);
}

void BuildFarBinomial(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  Steps steps(schedule);
  AddFarTree(Rooted(scenario, scenario.root), MessageBytes(scenario), &steps);
}

void EnumerateFarBinomial(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateFarTree(scenario, scenario.root, MessageBytes(scenario), &out);
}

void BuildScatterAllgather(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, scenario.root);
  const double chunk_bytes = ChunkBytes(scenario);
  Steps steps(schedule);
  AddScatter(at, chunk_bytes, &steps);
  for (int64_t distance = 1; distance < at.nodes.ranks; distance *= 2) {
    steps.Add(RotatedExchange(at, distance), static_cast<double>(distance) * chunk_bytes);
  }
}

void EnumerateScatterAllgather(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const int64_t ranks = scenario.ranks;
  const double chunk_bytes = ChunkBytes(scenario);
  Enumeration out(scenario, sink);
  EnumerateScatter(scenario, scenario.root, chunk_bytes, &out);
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    for (int64_t v = 0; v < ranks; ++v) {
      out.Send((v + scenario.root) % ranks, ((v ^ distance) + scenario.root) % ranks,
               static_cast<double>(distance) * chunk_bytes);
    }
    out.EndStep();
  }
}

void BuildScatterRingAllgather(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  Steps steps(schedule);
  AddScatterRing(Rooted(scenario, scenario.root), ChunkBytes(scenario), {}, &steps);
}

void EnumerateScatterRingAllgather(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateScatterRing(scenario, scenario.root, ChunkBytes(scenario), &out);
}

constexpr absl::string_view kThakur =
    "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in "
    "MPICH, 2005";

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kBcast, "linear", "the root sends to every rank at once", "",
     "Open MPI v4.1.4, coll/base: bcast_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {domain::Collective::kBcast, "binomial", "binomial tree, a parent's nearest child first", "",
     "Open MPI v4.1.4, coll/base: topo_build_bmtree", AlwaysApplies, BuildNearBinomial,
     EnumerateNearBinomial},
    {domain::Collective::kBcast, "binomial-far", "binomial tree, a parent's farthest child first",
     "", "MPICH v4.0.2, src/mpi/coll: bcast_intra_binomial", AlwaysApplies, BuildFarBinomial,
     EnumerateFarBinomial},
    {domain::Collective::kBcast, "chain",
     "the root feeds chains of ranks, 4 unless `fanout` says otherwise", "segment,fanout",
     "Open MPI v4.1.4, coll/base: topo_build_chain", ChainApplies,
     BuildChains<Direction::kFromRoot>, EnumerateChains<Direction::kFromRoot>},
    {domain::Collective::kBcast, "pipeline", "one chain of all ranks", "segment",
     "Open MPI v4.1.4, coll/base: bcast_intra_pipeline", AlwaysApplies,
     BuildPipeline<Direction::kFromRoot>, EnumeratePipeline<Direction::kFromRoot>},
    {domain::Collective::kBcast, "binary", "binary tree, level by level", "segment",
     "Open MPI v4.1.4, coll/base: bcast_intra_bintree, topo_build_tree", AlwaysApplies,
     BuildBinary<Direction::kFromRoot>, EnumerateBinary<Direction::kFromRoot>},
    {domain::Collective::kBcast, "split-binary",
     "half of the message down each half of a binary tree, then exchanges between both", "segment",
     "Open MPI v4.1.4, coll/base: bcast_intra_split_bintree", AlwaysApplies, BuildSplitBinary,
     EnumerateSplitBinary},
    {domain::Collective::kBcast, "knomial",
     "k-nomial tree, farthest children first; k is 4 unless `radix` says otherwise", "radix",
     "Open MPI v4.1.4, coll/base: bcast_intra_knomial, topo_build_kmtree", KnomialApplies,
     BuildKnomial, EnumerateKnomial},
    {domain::Collective::kBcast, "scatter-allgather",
     "binomial scatter, then allgather by recursive doubling", "", kThakur, NeedsPowerOfTwoRanks,
     BuildScatterAllgather, EnumerateScatterAllgather},
    {domain::Collective::kBcast, "scatter-ring-allgather",
     "binomial scatter, then allgather round the ring", "", kThakur, AlwaysApplies,
     BuildScatterRingAllgather, EnumerateScatterRingAllgather},
    {domain::Collective::kBcast, "node-leaders",
     "binomial trees to the leaders of nodes, or of `unit` ranks, then from them", "unit",
     "MPICH v4.0.2, src/mpi/coll: bcast_intra_smp", LeadersApply, BuildLeadersBcast,
     EnumerateLeadersBcast},
};

}  // namespace

absl::Span<const Algorithm> BcastAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
