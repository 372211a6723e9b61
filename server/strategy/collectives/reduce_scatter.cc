// Reduce-scatter with equal blocks: the count of the call, or the mean of its counts.
#include <bit>

#include "domain/collective.h"
#include "strategy/algorithms/all_shifts.h"
#include "strategy/algorithms/halving_exchange.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/algorithms/rooted/star.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

// The addresses of these name the exchanges.
constexpr char kFarFirst = 0;
constexpr char kNearFirst = 0;

double BlockBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }
double VectorBytes(const Scenario& scenario) {
  return BlockBytes(scenario) * static_cast<double>(scenario.ranks);
}

void BuildReduceScatter(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  AddReduction(at, VectorBytes(scenario), &steps);
  AddScatter(at, BlockBytes(scenario), &steps);
}

void EnumerateReduceScatter(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateReduction(scenario, 0, VectorBytes(scenario), &out);
  EnumerateScatter(scenario, 0, BlockBytes(scenario), &out);
}

void BuildReduceScatterv(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  {
    Steps steps(schedule);
    AddReduction(Rooted(scenario, 0), VectorBytes(scenario), &steps);
  }
  schedule->Add().traffic = OneToAll(scenario, 0, BlockBytes(scenario));
}

void EnumerateReduceScatterv(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateReduction(scenario, 0, VectorBytes(scenario), &out);
  for (int64_t rank = 1; rank < scenario.ranks; ++rank) out.Send(0, rank, BlockBytes(scenario));
  out.EndPhase();
}

// Among the first ranks beyond a power of two, each even rank sends its vector to the next rank.
void AddFold(const Scenario& scenario, const Fold& fold, model::Schedule* schedule) {
  if (fold.folded == 0) return;
  const double bytes = VectorBytes(scenario);
  Steps steps(schedule);
  steps.Add(NeighborSend(Nodes(scenario), fold.folded), bytes, {0, bytes});
}

void EnumerateFold(const Scenario& scenario, const Fold& fold, Enumeration* out) {
  for (int64_t pair = 0; pair < fold.folded; ++pair) {
    out->Send(2 * pair, 2 * pair + 1, VectorBytes(scenario));
  }
  out->EndPhase();
}

void AddHalving(const Scenario& scenario, const Fold& fold, HalvingOrder order,
                model::Schedule* schedule) {
  const char* name = order == HalvingOrder::kFarFirst ? &kFarFirst : &kNearFirst;
  for (int64_t i = 0; (int64_t{1} << i) < fold.active; ++i) {
    const HalvingExchange exchange(fold, {order, i});
    model::Phase& phase = schedule->Add();
    phase.traffic = TrafficOf(exchange, {name, i}, scenario);
    phase.work.reduced_bytes = exchange.most_blocks() * BlockBytes(scenario);
  }
}

void EnumerateHalving(const Scenario& scenario, const Fold& fold, HalvingOrder order,
                      Enumeration* out) {
  for (int64_t i = 0; (int64_t{1} << i) < fold.active; ++i) {
    const HalvingExchange exchange(fold, {order, i});
    for (int64_t v = 0; v < fold.active; ++v) {
      out->Send(fold.RankOf(exchange.PartnerOf(v)), fold.RankOf(v),
                exchange.BlocksFor(v) * BlockBytes(scenario));
    }
    out->EndPhase();
  }
}

void BuildRecursiveHalving(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Fold fold(scenario.ranks, Takes::kOdd);
  AddFold(scenario, fold, schedule);
  AddHalving(scenario, fold, HalvingOrder::kFarFirst, schedule);
  if (fold.folded == 0) return;
  Steps steps(schedule);
  steps.Add(Reversed(NeighborSend(Nodes(scenario), fold.folded)), BlockBytes(scenario));
}

void EnumerateRecursiveHalving(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Fold fold(scenario.ranks, Takes::kOdd);
  Enumeration out(scenario, sink);
  EnumerateFold(scenario, fold, &out);
  EnumerateHalving(scenario, fold, HalvingOrder::kFarFirst, &out);
  for (int64_t pair = 0; pair < fold.folded; ++pair) {
    out.Send(2 * pair + 1, 2 * pair, BlockBytes(scenario));
  }
  out.EndPhase();
}

void BuildButterfly(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Fold fold(scenario.ranks, Takes::kOdd);
  AddFold(scenario, fold, schedule);
  AddHalving(scenario, fold, HalvingOrder::kNearFirst, schedule);
  const MirrorExchange mirror(fold);
  if (mirror.totals().messages == 0) return;
  // Its place in the memory of exchanges is after those of the steps before it.
  const ExchangeId id{&kNearFirst, std::countr_zero(static_cast<uint64_t>(fold.active))};
  schedule->Add().traffic = TrafficOf(mirror, id, scenario);
}

void EnumerateButterfly(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const Fold fold(scenario.ranks, Takes::kOdd);
  Enumeration out(scenario, sink);
  EnumerateFold(scenario, fold, &out);
  EnumerateHalving(scenario, fold, HalvingOrder::kNearFirst, &out);
  for (int64_t v = 0; v < fold.active; ++v) {
    const int64_t owner = ReversedBits(fold, v);
    const int64_t holder = fold.RankOf(v);
    if (owner != v) out.Send(holder, fold.RankOf(owner), BlockBytes(scenario));
    if (owner < fold.folded) out.Send(holder, fold.RankOf(owner) - 1, BlockBytes(scenario));
  }
  out.EndPhase();
}

void BuildRing(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  Steps steps(schedule);
  steps.Add(Shift(Nodes(scenario), 1), BlockBytes(scenario), {0, BlockBytes(scenario)},
            static_cast<double>(scenario.ranks - 1));
}

void EnumerateRing(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t rank = 0; rank < scenario.ranks && scenario.ranks > 1; ++rank) {
    out.Send(rank, (rank + 1) % scenario.ranks, BlockBytes(scenario));
  }
  out.EndStep(scenario.ranks - 1);
}

void BuildPairwise(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  AddAllShifts(scenario, BlockBytes(scenario), schedule);
}

void EnumeratePairwise(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateAllShifts(scenario, &out);
}

// The bytes of a step: all blocks but those of the ranks whose contributions are combined already.
double DoublingBytes(const Scenario& scenario, int64_t distance) {
  return static_cast<double>(scenario.ranks - distance) * BlockBytes(scenario);
}

void BuildRecursiveDoubling(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    const double bytes = DoublingBytes(scenario, distance);
    steps.Add(RotatedExchange(at, distance), bytes, {0, bytes});
  }
}

void EnumerateRecursiveDoubling(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.Send(rank, rank ^ distance, DoublingBytes(scenario, distance));
    }
    out.EndStep();
  }
}

// The butterfly of a power of two without its last exchange. The ranks put the blocks into its
// order before they start.
void BuildNoncommutative(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  double bytes = VectorBytes(scenario);
  double copied_bytes = bytes;
  Steps steps(schedule);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    bytes /= 2;
    steps.Add(RotatedExchange(at, distance), bytes, {copied_bytes, bytes});
    copied_bytes = 0;
  }
}

void EnumerateNoncommutative(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  double bytes = VectorBytes(scenario);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    bytes /= 2;
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) out.Send(rank, rank ^ distance, bytes);
    out.EndStep();
  }
}

constexpr absl::string_view kHalvingText =
    "log2 p exchanges with nearer and nearer partners, each of half of the remaining blocks";
constexpr absl::string_view kButterflyText =
    "log2 p exchanges with farther and farther partners, each of half of the remaining blocks, "
    "then blocks to "
    "their owners";
constexpr absl::string_view kPairwiseText = "p - 1 steps, a block to another rank in each";
constexpr absl::string_view kDoublingText =
    "log2 p exchanges of all blocks but those that are together already";
constexpr absl::string_view kNoncommutativeText =
    "blocks put in order, then log2 p exchanges with farther and farther partners";
constexpr absl::string_view kThakur =
    "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in "
    "MPICH, 2005";

constexpr Algorithm kReduceScatterAlgorithms[] = {
    {domain::Collective::kReduceScatter, "reduce-scatterv",
     "binomial reduction to rank 0, which sends every rank its block", "",
     "Open MPI v4.1.4, coll/base: reduce_scatter_intra_nonoverlapping", AlwaysApplies,
     BuildReduceScatterv, EnumerateReduceScatterv},
    {domain::Collective::kReduceScatter, "recursive-halving", kHalvingText, "", kThakur,
     AlwaysApplies, BuildRecursiveHalving, EnumerateRecursiveHalving},
    {domain::Collective::kReduceScatter, "ring", "p - 1 steps of a block round the ring", "",
     "Open MPI v4.1.4, coll/base: reduce_scatter_intra_ring", AlwaysApplies, BuildRing,
     EnumerateRing},
    {domain::Collective::kReduceScatter, "butterfly", kButterflyText, "",
     "Open MPI v4.1.4, coll/base: reduce_scatter_intra_butterfly", AlwaysApplies, BuildButterfly,
     EnumerateButterfly},
    {domain::Collective::kReduceScatter, "pairwise", kPairwiseText, "", kThakur, AlwaysApplies,
     BuildPairwise, EnumeratePairwise},
    {domain::Collective::kReduceScatter, "recursive-doubling", kDoublingText, "", kThakur,
     NeedsPowerOfTwoRanks, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kReduceScatter, "noncommutative", kNoncommutativeText, "",
     "MPICH v4.0.2, src/mpi/coll: reduce_scatter_intra_noncommutative", NeedsPowerOfTwoRanks,
     BuildNoncommutative, EnumerateNoncommutative},
};

constexpr Algorithm kReduceScatterBlockAlgorithms[] = {
    {domain::Collective::kReduceScatterBlock, "reduce-scatter",
     "binomial reduction to rank 0, then binomial scatter", "",
     "Open MPI v4.1.4, coll/base: reduce_scatter_block_basic_linear", AlwaysApplies,
     BuildReduceScatter, EnumerateReduceScatter},
    {domain::Collective::kReduceScatterBlock, "recursive-halving", kHalvingText, "", kThakur,
     AlwaysApplies, BuildRecursiveHalving, EnumerateRecursiveHalving},
    {domain::Collective::kReduceScatterBlock, "butterfly", kButterflyText, "",
     "Open MPI v4.1.4, coll/base: reduce_scatter_block_intra_butterfly", AlwaysApplies,
     BuildButterfly, EnumerateButterfly},
    {domain::Collective::kReduceScatterBlock, "pairwise", kPairwiseText, "", kThakur, AlwaysApplies,
     BuildPairwise, EnumeratePairwise},
    {domain::Collective::kReduceScatterBlock, "recursive-doubling", kDoublingText, "", kThakur,
     NeedsPowerOfTwoRanks, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kReduceScatterBlock, "noncommutative", kNoncommutativeText, "",
     "MPICH v4.0.2, src/mpi/coll: reduce_scatter_block_intra_noncommutative", NeedsPowerOfTwoRanks,
     BuildNoncommutative, EnumerateNoncommutative},
};

}  // namespace

absl::Span<const Algorithm> ReduceScatterAlgorithms() { return kReduceScatterAlgorithms; }
absl::Span<const Algorithm> ReduceScatterBlockAlgorithms() { return kReduceScatterBlockAlgorithms; }

}  // namespace cox::strategy
