// The steps that collective algorithms are made of, in which a rank sends at most one message and
// receives at most one: for each, what stays in nodes and what crosses, in closed form. What a
// pattern is, its comment says; tests enumerate it. Pure, any thread, no allocation.
#ifndef COX_STRATEGY_TRAFFIC_PATTERNS_H_
#define COX_STRATEGY_TRAFFIC_PATTERNS_H_

#include <cstdint>

#include "strategy/steps.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/rotated_nodes.h"

namespace cox::strategy {

// Every rank r sends to (r + distance) mod p. 1 <= distance < p.
Crossing Shift(const Nodes& nodes, int64_t distance);

// Trees count ranks from the root: v = (r - root) mod p.
//
// A doubling step: every v < distance sends to v + distance, where there is one. Steps with
// distance 1, 2, 4, ... < p reach all ranks: the binomial tree whose parent sends to its nearest
// child first.
Crossing NearTreeStep(const Rooted& at, int64_t distance);

// Steps of consecutive distances, each the double of the one before: their mean, and how many.
struct StepRun {
  Crossing mean;
  int64_t steps = 0;
};

// The doubling steps from this distance on that are alike because every message is longer than a
// node: none where the root's node is not a whole one at the beginning of the ranks' order.
StepRun LongNearTreeSteps(const Rooted& at, int64_t distance);

// Every v that is a multiple of 2 x distance sends to v + distance, where there is one. Steps with
// the largest distance first reach all ranks: the binomial tree whose parent sends to its farthest
// child first, where a child and all below it are consecutive. distance: a power of two.
Crossing FarTreeStep(const Rooted& at, int64_t distance);

// The steps from this distance up to the largest, where every message is longer than a node.
StepRun LongFarTreeSteps(const Rooted& at, int64_t distance);

// The same step of a scatter: a child gets chunk_bytes for each rank of its subtree. The last
// subtree may be cut short by p.
StepLoad FarTreeScatterStep(const Rooted& at, int64_t distance, double chunk_bytes);

// The same step turned round, of a reduction or a gather: children send to their parents.
Crossing Reversed(const Crossing& crossing);
StepLoad Reversed(const StepLoad& load);

// Messages of a step in which r and r xor distance exchange, where both are among the first
// `ranks`. distance: a power of two.
int64_t PairedMessages(int64_t ranks, int64_t distance);

// Ranks counted from the root, v and v xor distance exchange. p: a power of two > distance, which
// is one as well.
Crossing RotatedExchange(const Rooted& at, int64_t distance);

// For p that is no power of two: of the first 2 x folded ranks, only every second takes part in the
// exchanges (the even ones or the odd ones), as v = 0 .. folded - 1; the ranks after them are
// v = folded ... The number that takes part is a power of two.
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

// Whether exchanges over this and any longer distance are all the same: every message is longer
// than a node, and some node is full of ranks that take part.
bool AllExchangesAlike(const Rooted& at, const Fold& fold, int64_t distance);

// Rank 2 i sends to 2 i + 1 for each i < pairs.
Crossing NeighborSend(const Nodes& nodes, int64_t pairs);

// Rank 2 i + first and the next one (mod p) exchange, for each i < pairs. first: 0, or 1 where p is
// even and all ranks take part.
Crossing NeighborExchange(const Nodes& nodes, int64_t first, int64_t pairs);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_PATTERNS_H_
