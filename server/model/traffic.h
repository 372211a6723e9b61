// What a phase of a schedule moves and does, in closed form: the meeting point of strategies, which
// produce it, and models, which price it. Neither knows the other.
//
// Plain data, freely copied; no thread rule. All counts are doubles because p * (p - 1) messages and
// their bytes pass 2^63 at ranks that can be asked about; up to 2^53 they are exact.
#ifndef COX_MODEL_TRAFFIC_H_
#define COX_MODEL_TRAFFIC_H_

namespace cox::model {

// A class of communication distance.
enum class Level { kSelf, kNode, kNetwork };

// What crosses one level in one repetition of a phase.
//
// The fields of the busiest rank are maxima over ranks, each on its own: the rank with most messages
// need not be the one with most bytes. They are the same in every repetition of the phase. The
// machine-wide fields may vary between repetitions (a shift by 1 crosses fewer node borders than a
// shift by 8); there they are the mean over the repetitions, so that `times` x field is the total.
struct LevelTraffic {
  // Busiest rank.
  double sends_count = 0;        // n_s: messages sent
  double receives_count = 0;     // n_r: messages received
  double out_bytes = 0;          // bytes sent
  double in_bytes = 0;           // bytes received
  double max_message_bytes = 0;  // largest single message

  // Machine-wide.
  double pairs_count = 0;     // cong: ordered pairs (sender, receiver) that communicate
  double messages_count = 0;  // all messages
  double volume_bytes = 0;    // V: all bytes
  double node_out_bytes = 0;  // bytes leaving the busiest node; 0 at Level::kNode
  double node_in_bytes = 0;   // bytes entering the busiest node; 0 at Level::kNode
};

// Traffic of a phase, split by level. `any` is the same for all levels together: its busiest rank is
// the busiest over both, so any.sends_count <= node.sends_count + network.sends_count, with equality
// only where one rank is busiest at both. A model that prices levels differently charges at most
// network.sends_count messages at the network's price and the rest of any.sends_count at the node's
// (and the same for bytes).
struct Traffic {
  LevelTraffic node;
  LevelTraffic network;
  LevelTraffic any;
};

// What the busiest rank does itself during a phase.
struct LocalWork {
  double copied_bytes = 0;   // bytes moved memory to memory (packing, rotation)
  double reduced_bytes = 0;  // bytes combined by a reduction operation
};

// One superstep of a schedule, repeated `times` times one after another.
struct Phase {
  double times = 1;
  Traffic traffic;
  LocalWork work;
  bool ends_in_barrier = false;
  bool blocking_sends = false;  // a send returns only when the message was received
};

}  // namespace cox::model

#endif  // COX_MODEL_TRAFFIC_H_
