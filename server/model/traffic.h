// What a phase of a schedule moves and computes, in closed form. Strategies produce it, models
// price it, and neither knows the other.
//
// Plain data. All counts are doubles because p (p - 1) messages and their bytes can pass 2^63; up
// to 2^53 they are exact.
#ifndef COX_MODEL_TRAFFIC_H_
#define COX_MODEL_TRAFFIC_H_

#include "domain/level.h"
#include "model/extent.h"

namespace cox::model {

// The busiest rank. The fields are maxima over ranks, each on its own: the rank with most messages
// need not be the one with most bytes.
struct RankTraffic {
  double sends_count = 0;        // n_s: messages sent
  double receives_count = 0;     // n_r: messages received
  double out_bytes = 0;          // bytes sent
  double in_bytes = 0;           // bytes received
  double max_message_bytes = 0;  // largest single message
};

// What crosses one level in one repetition of a phase: the busiest rank, and the machine as a
// whole.
struct LevelTraffic : RankTraffic {
  double pairs_count = 0;     // cong: ordered pairs (sender, receiver) that communicate
  double messages_count = 0;  // all messages
  double volume_bytes = 0;    // V: all bytes
  double node_out_bytes = 0;  // bytes leaving the busiest node; 0 at Level::kNode
  double node_in_bytes = 0;   // bytes entering the busiest node; 0 at Level::kNode
};

// Traffic of a phase, split by level. `any` is the busiest rank over both levels together:
// any.sends_count <= node.sends_count + network.sends_count, with equality only if one rank is
// busiest at both levels. A model with levels charges at most network.sends_count messages at the
// network's price, and the rest of any.sends_count at the node's (the same for bytes).
struct Traffic {
  LevelTraffic node;
  LevelTraffic network;
  RankTraffic any;
  // Whether no rank both sends and receives in a repetition: a star, a step down a tree. The
  // busiest sender and the busiest receiver then work at the same time.
  bool disjoint = false;
};

// What the busiest rank does itself during a phase.
struct LocalWork {
  double copied_bytes = 0;   // bytes moved memory to memory (packing, rotation)
  double reduced_bytes = 0;  // bytes combined by a reduction operation
  double touched_bytes = 0;  // bytes read in any way, if known (C3's t_i)
  double operations = 0;     // arithmetic operations, or keys handled by a sort step (kernels)
};

// How the repetitions of a phase differ. In each case pairs, messages and volume are means over the
// repetitions: `times` x field is their total.
enum class Repetitions {
  // Consecutive steps. The busiest rank's fields are the same in each step. The bytes of the
  // busiest node may vary (a shift by 1 crosses fewer node borders than a shift by 8): their mean.
  kAlike,
  // Stages of a pipeline. The slowest stage delays all others, and the busy links differ. The
  // busiest rank's fields are the largest over the stages. The bytes of the busiest node are those
  // of the whole pipeline, spread evenly over its stages.
  kPipelined,
  // Parts of one exchange, limited by a window. The busiest rank and the busiest node are those of
  // the whole exchange, spread evenly over the parts; the largest message is not divided.
  kShared,
};

// One superstep of a schedule, repeated `times` times. Local work is a mean over the repetitions.
struct Phase {
  double times = 1;
  Traffic traffic;
  LocalWork work;
  Repetitions repetitions = Repetitions::kAlike;
  // If the ranks work in separate sets that are each a scaled-down copy of the machine (C3's
  // submachines): the set with most ranks. processors_count 0: the whole machine.
  Extent submachine;
  bool ends_in_barrier = false;
  bool blocking_sends = false;  // a send returns after its message was received
};

}  // namespace cox::model

#endif  // COX_MODEL_TRAFFIC_H_
