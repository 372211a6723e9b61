#include <algorithm>

#include "domain/collective.h"
#include "strategy/algorithms/rooted/binomial_steps.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

double BlockBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }
double AllBytes(const Scenario& scenario) {
  return BlockBytes(scenario) * static_cast<double>(scenario.ranks);
}

void BuildRing(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  Steps steps(schedule);
  steps.Add(Shift(Nodes(scenario), 1), BlockBytes(scenario), {},
            static_cast<double>(scenario.ranks - 1));
}

void EnumerateRing(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t step = 1; step < scenario.ranks; ++step) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.Send(rank, (rank + 1) % scenario.ranks, BlockBytes(scenario));
    }
    out.EndStep();
  }
}

void BuildRecursiveDoubling(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < at.nodes.ranks; distance *= 2) {
    steps.Add(RotatedExchange(at, distance), static_cast<double>(distance) * BlockBytes(scenario));
  }
}

void EnumerateRecursiveDoubling(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out.Send(rank, rank ^ distance, static_cast<double>(distance) * BlockBytes(scenario));
    }
    out.EndStep();
  }
}

// Blocks that a rank sends in the step of this distance: all that it has, or all that its peer
// lacks.
int64_t BruckBlocks(const Scenario& scenario, int64_t distance) {
  return std::min(distance, scenario.ranks - distance);
}

void BuildBruck(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Nodes nodes(scenario);
  Steps steps(schedule);
  for (int64_t distance = 1; distance < nodes.ranks; distance *= 2) {
    const bool is_last = distance >= nodes.ranks - distance;
    const model::LocalWork work{is_last ? AllBytes(scenario) : 0, 0};  // the rotation at the end
    steps.Add(Shift(nodes, nodes.ranks - distance),
              static_cast<double>(BruckBlocks(scenario, distance)) * BlockBytes(scenario), work);
  }
}

void EnumerateBruck(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int64_t ranks = scenario.ranks;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      out.Send(rank, (rank - distance + ranks) % ranks,
               static_cast<double>(BruckBlocks(scenario, distance)) * BlockBytes(scenario));
    }
    out.EndStep();
  }
}

void BuildNeighborExchange(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  if (scenario.ranks == 1) return;
  const Nodes nodes(scenario);
  const int64_t pairs = nodes.ranks / 2;
  const int64_t more = pairs - 1;  // steps after the first
  const double two_blocks = 2 * BlockBytes(scenario);
  Steps steps(schedule);
  steps.Add(NeighborExchange(nodes, 0, pairs), BlockBytes(scenario));
  if (more == 0) return;
  // The partners alternate and the messages have equal sizes, so the order of the steps is free.
  const int64_t even = more / 2;  // steps with the first partner again
  const int64_t odd = more - even;
  steps.Add(NeighborExchange(nodes, 1, pairs), two_blocks, {}, static_cast<double>(odd));
  steps.Add(NeighborExchange(nodes, 0, pairs), two_blocks, {}, static_cast<double>(even));
}

void EnumerateNeighborExchange(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  const int64_t ranks = scenario.ranks;
  const auto add_step = [&](int64_t first, double bytes) {
    for (int64_t rank = first; rank < ranks + first; rank += 2) {
      out.Exchange(rank % ranks, (rank + 1) % ranks, bytes);
    }
    out.EndStep();
  };
  if (ranks == 1) return;
  add_step(0, BlockBytes(scenario));
  for (int64_t first : {1, 0}) {
    for (int64_t step = 1; step < ranks / 2; ++step) {
      if (step % 2 == first) add_step(first, 2 * BlockBytes(scenario));
    }
  }
}

void BuildGatherBcast(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  Steps steps(schedule);
  AddGather(at, BlockBytes(scenario), &steps);
  AddNearTree(at, AllBytes(scenario), &steps);
}

void EnumerateGatherBcast(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  EnumerateGather(scenario, 0, BlockBytes(scenario), &out);
  EnumerateNearTree(scenario, 0, AllBytes(scenario), &out);
}

constexpr Algorithm kAlgorithms[] = {
    {domain::Collective::kAllgather, "ring",
     "p - 1 steps, each rank passes a block to the next one", "",
     "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in "
     "MPICH, 2005",
     AlwaysApplies, BuildRing, EnumerateRing},
    {domain::Collective::kAllgather, "recursive-doubling",
     "log2 p exchanges of all that a rank has", "",
     "R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in "
     "MPICH, 2005",
     NeedsPowerOfTwoRanks, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kAllgather, "bruck",
     "ceil(log2 p) steps of all that a rank has, then a rotation", "",
     "J. Bruck et al., Efficient algorithms for all-to-all communications in multiport "
     "message-passing systems, 1997",
     AlwaysApplies, BuildBruck, EnumerateBruck},
    {domain::Collective::kAllgather, "neighbor-exchange",
     "p / 2 exchanges of two blocks, with either neighbor in turn", "",
     "J. Chen et al., Performance evaluation of allgather algorithms on terascale Linux cluster "
     "with fast Ethernet, 2005",
     NeedsEvenRanks, BuildNeighborExchange, EnumerateNeighborExchange},
    {domain::Collective::kAllgather, "gather-bcast",
     "binomial gather to rank 0, then binomial bcast", "",
     "Open MPI v4.1.4, coll/base: allgather_intra_basic_linear", AlwaysApplies, BuildGatherBcast,
     EnumerateGatherBcast},
};

}  // namespace

absl::Span<const Algorithm> AllgatherAlgorithms() { return kAlgorithms; }

}  // namespace cox::strategy
