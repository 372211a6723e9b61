// Steps that several collectives share: down and up binomial trees. Build functions add them to a
// schedule, enumerations to an enumeration, both in the same order.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_BINOMIAL_STEPS_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_BINOMIAL_STEPS_H_

#include "strategy/algorithms/rooted/direction.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/rotated_nodes.h"
#include "topology/rooted_tree.h"

namespace cox::strategy {

// Sends along all edges of a tree, level by level, from the root or to it: bytes_of(edge) each.
// Calls end_level() after each level.
template <typename BytesOf, typename EndLevel>
void SendAlong(const topology::RootedTree& tree, Direction direction, const BytesOf& bytes_of,
               Enumeration* out, const EndLevel& end_level) {
  const int count = tree.level_count();
  for (int i = 0; i < count; ++i) {
    const bool down = direction == Direction::kFromRoot;
    topology::ForEachEdge(tree, down ? i : count - 1 - i,
                          [&](const topology::RootedTree::Edge& edge) {
                            out->Send(down ? edge.parent : edge.child,
                                      down ? edge.child : edge.parent, bytes_of(edge));
                          });
    end_level();
  }
}

// The whole message from the root to all ranks, nearest child first.
void AddNearTree(const Rooted& at, double bytes, Steps* steps);
void EnumerateNearTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out);

// The same, farthest child first.
void AddFarTree(const Rooted& at, double bytes, Steps* steps);
void EnumerateFarTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out);

// The whole message from all ranks to the root; each rank combines what it receives.
void AddReduction(const Rooted& at, double bytes, Steps* steps);
void EnumerateReduction(const Scenario& scenario, int64_t root, double bytes, Enumeration* out);

// The work of a tree's step that splits or joins messages: the busiest rank reads the largest one.
inline model::LocalWork TouchingLargest(const StepLoad& load) {
  model::LocalWork work;
  work.touched_bytes = std::max(load.node_max_bytes, load.network_max_bytes);
  return work;
}

// A chunk for each rank from the root.
void AddScatter(const Rooted& at, double chunk_bytes, Steps* steps);
void EnumerateScatter(const Scenario& scenario, int64_t root, double chunk_bytes, Enumeration* out);

// A chunk for each rank from the root, then all chunks round the ring. The busiest rank does `work`
// in each step of the ring. Nothing for one rank.
void AddScatterRing(const Rooted& at, double chunk_bytes, const model::LocalWork& work,
                    Steps* steps);
void EnumerateScatterRing(const Scenario& scenario, int64_t root, double chunk_bytes,
                          Enumeration* out);

// A chunk from each rank to the root.
void AddGather(const Rooted& at, double chunk_bytes, Steps* steps);
void EnumerateGather(const Scenario& scenario, int64_t root, double chunk_bytes, Enumeration* out);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_BINOMIAL_STEPS_H_
