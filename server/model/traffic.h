// What a phase of a schedule moves and does, in closed form: the meeting point of strategies, which
// produce it, and models, which price it. Neither knows the other.
//
// Plain data, freely copied; no thread rule. All counts are doubles because p * (p - 1) messages
// and their bytes pass 2^63 at ranks that can be asked about; up to 2^53 they are exact.
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

// Traffic of a phase, split by level. `any` is the busiest rank over both levels together, so
// any.sends_count <= node.sends_count + network.sends_count, with equality only where one rank is
// busiest at both. A model that prices levels differently charges at most network.sends_count
// messages at the network's price and the rest of any.sends_count at the node's (and the same for
// bytes).
struct Traffic {
  LevelTraffic node;
  LevelTraffic network;
  RankTraffic any;
  // Whether no rank both sends and receives in a repetition: a star, a step down a tree. Then the
  // busiest sender and the busiest receiver work at the same time, not one after the other.
  bool disjoint = false;
};

// What the busiest rank does itself during a phase.
struct LocalWork {
  double copied_bytes = 0;   // bytes moved memory to memory (packing, rotation)
  double reduced_bytes = 0;  // bytes combined by a reduction operation
  double touched_bytes = 0;  // bytes looked at in any way, where that is known (C3's t_i)
  double operations = 0;     // arithmetic operations, or keys handled by a sort step (kernels)
};

// How the repetitions of a phase differ, and what its fields then say. In each case `times` x field
// is the total of pairs, messages and volume: those are means over the repetitions.
enum class Repetitions {
  // Steps one after the other. The busiest rank's fields are the same in each. The bytes of the
  // busiest node may vary (a shift by 1 crosses fewer node borders than a shift by 8): their mean.
  kAlike,
  // Stages of a pipeline: the slowest holds up all others, and which links are busy differs. The
  // busiest rank's fields are the largest over the stages. The bytes of the busiest node are those
  // of
  // the whole pipeline, spread evenly over its stages.
  kPipelined,
  // Parts of one exchange, let through a window: the busiest rank and the busiest node are those of
  // the whole exchange, their fields spread evenly over the parts (the largest message as it is).
  kShared,
};

// One superstep of a schedule, repeated `times` times. Local work is a mean over the repetitions.
struct Phase {
  double times = 1;
  Traffic traffic;
  LocalWork work;
  Repetitions repetitions = Repetitions::kAlike;
  // Where the ranks work in separate sets that are each a scaled-down copy of the machine (C3's
  // submachines): one of them, the one of most ranks. processors_count 0: the whole machine.
  Extent submachine;
  bool ends_in_barrier = false;
  bool blocking_sends = false;  // a send returns only when the message was received
};

}  // namespace cox::model

#endif  // COX_MODEL_TRAFFIC_H_
