// Algorithms of scatter and, reversed, of gather: linear, binomial, and C3's of several levels,
// which work on ever smaller parts of the machine. Only scatter.cc and gather.cc use these.
//
// Source of C3's: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for
// coarse-grained parallel machines, section 4. The most that a processor touches: Figure 3.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_LEVELS_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_LEVELS_H_

#include "absl/strings/string_view.h"
#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"
#include "topology/rooted_tree.h"

namespace cox::strategy {

// The source that these rows name in the catalogue.
inline constexpr absl::string_view kHambrusch =
    "S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained "
    "parallel machines, section 4";

// A phase for each level of a tree; a message holds the blocks of its edge.
void EnumerateBlocks(const topology::RootedTree& tree, Direction direction,
                     const Scenario& scenario, MessageSink sink);

// linear: all of the root's messages at once. Any p.
void BuildLinearBlocks(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateLinearBlocks(Direction direction, const Scenario& scenario, MessageSink sink);

// binomial: each message holds all blocks of its subtree. From the root, farthest child first. Any
// p.
void BuildBinomialBlocks(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateBinomialBlocks(Direction direction, const Scenario& scenario, MessageSink sink);

// 2-lev-rec: along the root's column of a square of ranks, then along the rows. p = q^2.
void BuildTwoLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateTwoLevels(Direction direction, const Scenario& scenario, MessageSink sink);

// 3-lev-sq: to one rank of each square of sqrt(p) ranks, then 2-lev-rec in each square. p = q^4.
void BuildThreeLevels(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateThreeLevels(Direction direction, const Scenario& scenario, MessageSink sink);

// logp-lev-sq: one message to the leader of the other half with all blocks of that half, then the
// same in both halves. p = 2^d.
void BuildHalving(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateHalving(Direction direction, const Scenario& scenario, MessageSink sink);

// 1-lev-our-br: a binomial tree that sends all blocks to all ranks. Any p.
void BuildOurBroadcast(Direction direction, const Scenario& scenario, model::Schedule* schedule);
void EnumerateOurBroadcast(Direction direction, const Scenario& scenario, MessageSink sink);

// 1-lev-sys-br: the system's broadcast sends all blocks to all ranks. The paper does not say how
// its machine broadcasts. Here it is the broadcast of long messages of Open MPI and MPICH: a
// binomial scatter, then a ring. From the root only; any p.
void BuildSystemBroadcast(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);
void EnumerateSystemBroadcast(const Scenario& scenario, const Knobs& knobs, MessageSink sink);

// The same functions as rows of the catalogue: BuildDirected<Direction::kToRoot, BuildHalving>.
template <Direction kDirection, void (*kBuild)(Direction, const Scenario&, model::Schedule*)>
void BuildDirected(const Scenario& scenario, const Knobs& /*knobs*/, model::Schedule* schedule) {
  kBuild(kDirection, scenario, schedule);
}
template <Direction kDirection, void (*kEnumerate)(Direction, const Scenario&, MessageSink)>
void EnumerateDirected(const Scenario& scenario, const Knobs& /*knobs*/, MessageSink sink) {
  kEnumerate(kDirection, scenario, sink);
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_LEVELS_H_
