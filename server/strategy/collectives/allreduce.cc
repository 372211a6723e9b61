#include "domain/collective.h"
#include "strategy/algorithms/folded_halves.h"
#include "strategy/algorithms/node_leaders.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
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
  const double bytes = VectorBytes(scenario);
  model::Phase& reduce = schedule->Add();
  reduce.traffic = AllToOne(scenario, 0, bytes);
  reduce.work.reduced_bytes = static_cast<double>(scenario.ranks - 1) * bytes;
  schedule->Add().traffic = OneToAll(scenario, 0, bytes);
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 1; rank < scenario.ranks; ++rank) out.Send(rank, 0, VectorBytes(scenario));
  out.EndPhase();
  for (int64_t rank = 1; rank < scenario.ranks; ++rank) out.Send(0, rank, VectorBytes(scenario));
  out.EndPhase();
}

void BuildReduceBcast(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  AddReduction(at, VectorBytes(scenario), &steps);
  AddNearTree(at, VectorBytes(scenario), &steps);
}

void EnumerateReduceBcast(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateReduction(scenario, 0, VectorBytes(scenario), &out);
  EnumerateNearTree(scenario, 0, VectorBytes(scenario), &out);
}

void BuildRing(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Crossing shift = Shift(Nodes(scenario), 1);
  const double part_bytes = VectorBytes(scenario) / static_cast<double>(scenario.ranks);
  const auto times = static_cast<double>(scenario.ranks - 1);
  Steps steps(schedule);
  steps.Add(shift, part_bytes, {0, part_bytes}, times);  // every part collects all contributions
  steps.Add(shift, part_bytes, {}, times);               // every part goes round once more
}

void EnumerateRing(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int64_t ranks = scenario.ranks;
  for (int64_t step = 0; step < 2 * (ranks - 1); ++step) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      out.Send(rank, (rank + 1) % ranks, VectorBytes(scenario) / static_cast<double>(ranks));
    }
    out.EndStep();
  }
}

// The inactive even ranks send their whole vector to the odd ranks, and receive the result.
void BuildRecursiveDoubling(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const Nodes& nodes = at.nodes;
  const Fold fold(nodes.ranks, Takes::kOdd);
  const double bytes = VectorBytes(scenario);
  const Crossing to_partner = NeighborSend(nodes, fold.folded);
  Steps steps(schedule);
  if (fold.folded > 0) steps.Add(to_partner, bytes, {0, bytes});
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    int64_t times = 1;
    if (AllExchangesAlike(at, fold, distance)) {
      for (; 2 * distance < fold.active; distance *= 2) ++times;
    }
    steps.Add(FoldedExchange(at, fold, distance), bytes, {0, bytes}, static_cast<double>(times));
  }
  if (fold.folded > 0) steps.Add(Reversed(to_partner), bytes);
}

void EnumerateRecursiveDoubling(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const Fold fold(scenario.ranks, Takes::kOdd);
  const double bytes = VectorBytes(scenario);
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair, 2 * pair + 1, bytes);
  out.EndStep();
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    for (int64_t v = 0; v < fold.active; ++v) {
      out.Send(fold.RankOf(v), fold.RankOf(v ^ distance), bytes);
    }
    out.EndStep();
  }
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair + 1, 2 * pair, bytes);
  out.EndStep();
}

// The exchange over a distance carries as many bytes in the reduce-scatter (to be combined) as in
// the allgather (results): one phase of two repetitions. The combining is a phase of its own.
void AddHalvesAndBack(const Rooted& at, const Fold& fold, double bytes, Steps* steps) {
  double part_bytes = bytes / 2;
  for (int64_t distance = 1; distance < fold.active; distance *= 2, part_bytes /= 2) {
    steps->Add(FoldedExchange(at, fold, distance), part_bytes, {0, part_bytes / 2}, 2);
  }
}

void EnumerateHalvesAndBack(const Fold& fold, double bytes, Enumeration* out) {
  for (int64_t distance = 1; distance < fold.active; distance *= 2) {
    for (int64_t v = 0; v < fold.active; ++v) {
      out->Send(fold.RankOf(v), fold.RankOf(v ^ distance),
                bytes / static_cast<double>(2 * distance));
    }
    out->EndStep(2);
  }
}

void BuildRabenseifner(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  AddFoldedHalves(at.nodes, fold, bytes, &steps);
  if (fold.folded > 0) steps.Add(NeighborSend(at.nodes, fold.folded), bytes);
  AddHalvesAndBack(at, fold, bytes, &steps);
}

void EnumerateRabenseifner(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const Fold fold(scenario.ranks, Takes::kEven);
  const double bytes = VectorBytes(scenario);
  EnumerateFoldedHalves(fold, bytes, &out);
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair, 2 * pair + 1, bytes);
  out.EndStep();
  EnumerateHalvesAndBack(fold, bytes, &out);
}

// The inactive even ranks send their whole vector, and receive the result.
void BuildRabenseifnerWhole(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const Fold fold(scenario.ranks, Takes::kOdd);
  const double bytes = VectorBytes(scenario);
  const Crossing to_partner = NeighborSend(at.nodes, fold.folded);
  Steps steps(schedule);
  if (fold.folded > 0) steps.Add(to_partner, bytes, {0, bytes});
  AddHalvesAndBack(at, fold, bytes, &steps);
  if (fold.folded > 0) steps.Add(Reversed(to_partner), bytes);
}

void EnumerateRabenseifnerWhole(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const Fold fold(scenario.ranks, Takes::kOdd);
  const double bytes = VectorBytes(scenario);
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair, 2 * pair + 1, bytes);
  out.EndStep();
  EnumerateHalvesAndBack(fold, bytes, &out);
  for (int64_t pair = 0; pair < fold.folded; ++pair) out.Send(2 * pair + 1, 2 * pair, bytes);
  out.EndStep();
}

constexpr absl::string_view kThakur =
    "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in "
    "MPICH, 2005";

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kAllreduce, "recursive-doubling", "log2 p exchanges of the whole vector",
     "", kThakur, AlwaysApplies, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kAllreduce, "ring",
     "2 (p - 1) steps of a p-th of the vector round the ring", "",
     "P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, "
     "2009",
     AlwaysApplies, BuildRing, EnumerateRing},
    {domain::Collective::kAllreduce, "rabenseifner",
     "reduce-scatter by recursive halving, allgather by recursive doubling", "", kThakur,
     AlwaysApplies, BuildRabenseifner, EnumerateRabenseifner},
    {domain::Collective::kAllreduce, "rabenseifner-whole",
     "the same, after ranks beyond a power of two gave their whole vector to a neighbour", "",
     "MPICH v4.0.2, src/mpi/coll: allreduce_intra_reduce_scatter_allgather", AlwaysApplies,
     BuildRabenseifnerWhole, EnumerateRabenseifnerWhole},
    {domain::Collective::kAllreduce, "reduce-bcast",
     "binomial reduction to rank 0, then binomial bcast", "",
     "Open MPI v4.1.4, coll/base: allreduce_intra_nonoverlapping", AlwaysApplies, BuildReduceBcast,
     EnumerateReduceBcast},
    {domain::Collective::kAllreduce, "node-leaders",
     "reduced in each node, or each `unit` ranks, exchanged among the leaders, and back", "unit",
     "MPICH v4.0.2, src/mpi/coll: allreduce_intra_smp", LeadersApply, BuildLeadersAllreduce,
     EnumerateLeadersAllreduce},
    {domain::Collective::kAllreduce, "linear",
     "all send to rank 0, which combines and sends to all", "",
     "Open MPI v4.1.4, coll/base: allreduce_intra_basic_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
};

}  // namespace

absl::Span<const Algorithm> AllreduceAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
