// The steps of collective algorithms in which a rank sends and receives at most one message: how
// many messages stay in nodes and how many cross, in closed form. Each function's comment defines
// its pattern; tests enumerate it. Pure, any thread, no allocation.
#ifndef COX_STRATEGY_TRAFFIC_STEP_PATTERNS_H_
#define COX_STRATEGY_TRAFFIC_STEP_PATTERNS_H_

#include <cstdint>

#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/rotated_nodes.h"

namespace cox::strategy {

// Every rank r sends to (r + distance) mod p. 1 <= distance < p.
Crossing Shift(const Nodes& nodes, int64_t distance);

// Trees count ranks from the root: v = (r - root) mod p.
//
// A doubling step: every v < distance sends to v + distance, if that exists. Steps with distance 1,
// 2, 4, ... < p reach all ranks: a binomial tree whose parents send to the nearest child first.
Crossing NearTreeStep(const Rooted& at, int64_t distance);

// A run of steps with distances that double each time: their mean, and their number.
struct StepRun {
  Crossing mean;
  int64_t steps = 0;
};

// The doubling steps from distance 1 on whose messages all stay in the root's node. Under cyclic
// placement none, unless all ranks share a node.
StepRun ShortNearTreeSteps(const Rooted& at);

// The doubling steps from this distance on that are alike because every message spans more than a
// node. None if the root's node is not a whole node at the beginning of the ranks' order.
StepRun LongNearTreeSteps(const Rooted& at, int64_t distance);

// Every v that is a multiple of 2 x distance sends to v + distance, if that exists. Steps with the
// largest distance first reach all ranks: a binomial tree whose parents send to the farthest child
// first. A child and all ranks below it are consecutive. distance: a power of two.
Crossing FarTreeStep(const Rooted& at, int64_t distance);

// The steps from distance 1 on whose messages all stay in nodes, because every node begins at a
// multiple of 2 x distance. None unless rank 0 is the root and placement is block, or all ranks
// share a node.
StepRun ShortFarTreeSteps(const Rooted& at);

// The steps from this distance up to the largest, if every message spans more than a node.
StepRun LongFarTreeSteps(const Rooted& at, int64_t distance);

// The same step of a scatter: a child gets chunk_bytes for each rank of its subtree. The last
// subtree may end early at p.
StepLoad FarTreeScatterStep(const Rooted& at, int64_t distance, double chunk_bytes);

// The same step reversed, for a reduction or a gather: children send to their parents.
Crossing Reversed(const Crossing& crossing);
StepLoad Reversed(const StepLoad& load);

// Messages of a step in which r and r xor distance exchange, where both are among the first
// `ranks`. distance: a power of two.
int64_t PairedMessages(int64_t ranks, int64_t distance);
// Of all steps with distances 1, 2, 4, ... < ranks together.
int64_t AllPairedMessages(int64_t ranks);

// Ranks counted from the root: v and v xor distance exchange. p: a power of two > distance.
// distance: a power of two.
Crossing RotatedExchange(const Rooted& at, int64_t distance);

// For p other than a power of two: of the first 2 x folded ranks only every second is active in the
// exchanges (the even or the odd ones), as v = 0 .. folded - 1. The ranks after them are v = folded
// ... The number of active ranks is a power of two.
enum class Takes { kEven, kOdd };
struct Fold {
  Fold(int64_t ranks, Takes takes);
  int64_t RankOf(int64_t v) const { return v < folded ? 2 * v + offset : v + folded; }

  int64_t active;  // the largest power of two <= ranks
  int64_t folded;  // ranks - active
  int64_t offset;  // 0 for even, 1 for odd
};

// v and v xor distance exchange. distance: a power of two < fold.active. at.root is 0.
Crossing FoldedExchange(const Rooted& at, const Fold& fold, int64_t distance);

// Whether exchanges over this and any longer distance are alike: every message spans more than a
// node, and some node consists of active ranks only.
bool AllExchangesAlike(const Rooted& at, const Fold& fold, int64_t distance);

// Rank 2 i sends to 2 i + 1 for each i < pairs.
Crossing NeighborSend(const Nodes& nodes, int64_t pairs);

// Rank 2 i + first and the next one (mod p) exchange, for each i < pairs. first: 0; or 1 if p is
// even and all ranks exchange.
Crossing NeighborExchange(const Nodes& nodes, int64_t first, int64_t pairs);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_STEP_PATTERNS_H_
