#include <algorithm>
#include <bit>
#include <cstdint>

#include "domain/collective.h"
#include "strategy/algorithms/all_shifts.h"
#include "strategy/algorithms/routed/routed_alltoall.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/shared_parts.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

// One level of the complete exchange: the busiest rank has `peers` at this level; `pairs` in all.
void SetLevel(double peers, double pairs, double bytes, model::LevelTraffic* level) {
  if (pairs <= 0) return;
  level->sends_count = level->receives_count = peers;
  level->out_bytes = level->in_bytes = peers * bytes;
  level->max_message_bytes = bytes;
  level->pairs_count = level->messages_count = pairs;
  level->volume_bytes = pairs * bytes;
}

// Every rank sends `bytes` to every other one.
model::Traffic CompleteExchange(const Nodes& nodes, double bytes) {
  const auto ranks = static_cast<double>(nodes.ranks);
  const auto large = static_cast<double>(nodes.largest());
  const auto small = static_cast<double>(nodes.smallest());
  const auto large_count = static_cast<double>(nodes.largest_count());
  const double small_count = static_cast<double>(nodes.count) - large_count;
  const double node_pairs = large_count * large * (large - 1) + small_count * small * (small - 1);
  model::Traffic traffic;
  if (nodes.ranks == 1) return traffic;
  SetLevel(large - 1, node_pairs, bytes, &traffic.node);
  SetLevel(ranks - small, ranks * (ranks - 1) - node_pairs, bytes, &traffic.network);
  traffic.network.node_out_bytes = traffic.network.node_in_bytes =
      std::max(large * (ranks - large), small * (ranks - small)) * bytes;
  traffic.any = {ranks - 1, ranks - 1, (ranks - 1) * bytes, (ranks - 1) * bytes, bytes};
  return traffic;
}

// The requests in flight: the knob, or all.
int64_t WindowOf(const Scenario& scenario, const Knobs& knobs) {
  const int64_t peers = std::max<int64_t>(scenario.ranks - 1, 1);
  return knobs.window == 0 ? peers : std::min(knobs.window, peers);
}

void BuildWindowed(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const int64_t window = WindowOf(scenario, knobs);
  const int64_t part_count = (scenario.ranks - 1 + window - 1) / window;
  model::Phase& phase = schedule->Add();
  phase.traffic = CompleteExchange(Nodes(scenario), static_cast<double>(scenario.block_bytes));
  ShareAmong(static_cast<double>(part_count), &phase);
}

void EnumerateWindowed(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int64_t window = WindowOf(scenario, knobs);
  for (int64_t distance = 1; distance < scenario.ranks; ++distance) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.SendIn((distance - 1) / window, rank, (rank + distance) % scenario.ranks,
                 static_cast<double>(scenario.block_bytes));
    }
  }
}

void BuildPairwise(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  AddAllShifts(scenario, 0, schedule);
}

void EnumeratePairwise(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateAllShifts(scenario, &out);
}

// How many numbers below `ranks` have this bit (a power of two) set.
int64_t BlocksWithBit(int64_t ranks, int64_t bit) {
  return ranks / (2 * bit) * bit + std::max<int64_t>(0, ranks % (2 * bit) - bit);
}

void BuildBruck(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  const auto block_bytes = static_cast<double>(scenario.block_bytes);
  const double all_bytes = static_cast<double>(nodes.ranks) * block_bytes;
  Steps steps(schedule);
  for (int64_t distance = 1; distance < nodes.ranks; distance *= 2) {
    const double bytes = static_cast<double>(BlocksWithBit(nodes.ranks, distance)) * block_bytes;
    model::LocalWork work{bytes, 0};  // each received block is copied to its place
    if (distance == 1) work.copied_bytes += all_bytes;                       // the first rotation
    if (distance >= nodes.ranks - distance) work.copied_bytes += all_bytes;  // the final rotation
    steps.Add(Shift(nodes, distance), bytes, work);
  }
}

void EnumerateBruck(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int64_t ranks = scenario.ranks;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    int64_t blocks = 0;
    for (int64_t block = 0; block < ranks; ++block) blocks += (block & distance) != 0 ? 1 : 0;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      out.Send(rank, (rank + distance) % ranks,
               static_cast<double>(blocks) * static_cast<double>(scenario.block_bytes));
    }
    out.EndStep();
  }
}

// Exclusive-or permutations: in step t each rank exchanges with rank xor t, with a window of one.
void BuildXor(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  Knobs one_at_once;
  one_at_once.window = 1;
  BuildWindowed(scenario, one_at_once, schedule);
}

void EnumerateXor(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t step = 1; step < scenario.ranks; ++step) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.SendIn(step - 1, rank, rank ^ step, static_cast<double>(scenario.block_bytes));
    }
  }
}

// The line of 2^e ranks through a rank of a mesh. In step t even ranks send to rank xor t, odd ones
// to that with all bits but the lowest turned round. So half of the ranks cross the middle of the
// line in every step, a quarter in each direction; of exclusive-or permutations all do, or none.
int64_t BalancedPeer(int64_t at, int64_t step, int64_t line) {
  return at % 2 == 0 ? at ^ step : at ^ step ^ (line - 2);
}

// Balanced permutations of a mesh of 2^d ranks: in each step a balanced permutation of the columns
// and one of the rows. A rank keeps its own block in one of the p steps.
void BuildBalanced(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  model::Phase& phase = schedule->Add();
  phase.traffic = CompleteExchange(Nodes(scenario), static_cast<double>(scenario.block_bytes));
  ShareAmong(static_cast<double>(scenario.ranks), &phase);
}

void EnumerateBalanced(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int dimensions = std::countr_zero(static_cast<uint64_t>(scenario.ranks));
  const int64_t columns = int64_t{1} << (dimensions + 1) / 2;
  const int64_t rows = scenario.ranks / columns;
  for (int64_t step = 0; step < scenario.ranks; ++step) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      const int64_t column = BalancedPeer(rank % columns, step % columns, columns);
      const int64_t row = rows == 1 ? 0 : BalancedPeer(rank / columns, step / columns, rows);
      const int64_t peer = row * columns + column;
      if (peer != rank) out.SendIn(step, rank, peer, static_cast<double>(scenario.block_bytes));
    }
  }
}

constexpr absl::string_view kKale =
    "L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized communication, "
    "2003";

constexpr absl::string_view kHambrusch =
    "S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained "
    "parallel machines, section 4.3";

constexpr absl::string_view kScott =
    "balanced permutations of C3, section 4.3, after D. S. Scott, Efficient all-to-all "
    "communication "
    "patterns in hypercube and mesh topologies, 1991";

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kAlltoall, "linear", "everything posted at once, then one wait", "",
     "Open MPI v4.1.4, coll/base: alltoall_intra_basic_linear", AlwaysApplies, BuildWindowed,
     EnumerateWindowed},
    {domain::Collective::kAlltoall, "pairwise", "p - 1 steps, in step k to the rank k further on",
     "", "Open MPI v4.1.4, coll/base: alltoall_intra_pairwise", AlwaysApplies, BuildPairwise,
     EnumeratePairwise},
    {domain::Collective::kAlltoall, "bruck", "ceil(log2 p) steps, each with half of all blocks", "",
     "J. Bruck et al., Efficient algorithms for all-to-all communications in multiport "
     "message-passing systems, 1997",
     AlwaysApplies, BuildBruck, EnumerateBruck},
    {domain::Collective::kAlltoall, "windowed", "linear with a window of requests in flight",
     "window", "MPICH v4.0.2, src/mpi/coll: alltoall_intra_scattered", AlwaysApplies, BuildWindowed,
     EnumerateWindowed},
    {domain::Collective::kAlltoall, "mesh2d",
     "along the rows of a mesh, square unless `columns` is set, then along its columns", "columns",
     kKale, NeedsTwoColumns, BuildMesh2d, EnumerateMesh2d},
    {domain::Collective::kAlltoall, "grid3d", "along the three dimensions of a cubic grid", "",
     kKale, AlwaysApplies, BuildGrid3d, EnumerateGrid3d},
    {domain::Collective::kAlltoall, "hypercube",
     "log2 p exchanges across a hypercube; ranks beyond a power of two are guests", "", kKale,
     AlwaysApplies, BuildHypercube, EnumerateHypercube},
    {domain::Collective::kAlltoall, "1-lev-perm-xor", "p - 1 exchanges, in step t with rank xor t",
     "", kHambrusch, NeedsPowerOfTwoRanks, BuildXor, EnumerateXor},
    {domain::Collective::kAlltoall, "1-lev-perm-bal",
     "p permutations that load the links of a mesh of ranks evenly", "", kScott,
     NeedsPowerOfTwoRanks, BuildBalanced, EnumerateBalanced},
    {domain::Collective::kAlltoall, "2-lev-rc",
     "in the rows of a mesh of ranks, as near to a square as p allows, then in its columns", "",
     kHambrusch, AlwaysApplies, BuildTwoLevelRows, EnumerateMesh2d},
    {domain::Collective::kAlltoall, "2-lev-sq",
     "in squares of sqrt(p) ranks, one message between two squares, in squares again", "",
     kHambrusch, NeedsSquareRanks, BuildTwoLevelSquares, EnumerateTwoLevelSquares},
    {domain::Collective::kAlltoall, "logp-lev-bfly",
     "log2 p exchanges of half of all data, across the machine, its halves, ...", "", kHambrusch,
     NeedsPowerOfTwoRanks, BuildButterfly, EnumerateButterfly},
};

}  // namespace

absl::Span<const Algorithm> AlltoallAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
