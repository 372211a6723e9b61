// A phase as a model without levels sees it: every message goes between nodes. Pure functions, any
// thread.
#ifndef COX_MODEL_MODELS_ONE_LEVEL_H_
#define COX_MODEL_MODELS_ONE_LEVEL_H_

#include <algorithm>

#include "model/models/round_up.h"
#include "model/schedule.h"
#include "model/traffic.h"

namespace cox::model {

struct OneLevel {
  explicit OneLevel(const Phase& phase)
      : sends_count(phase.traffic.any.sends_count),
        receives_count(phase.traffic.any.receives_count),
        out_bytes(phase.traffic.any.out_bytes),
        in_bytes(phase.traffic.any.in_bytes),
        pairs_count(phase.traffic.node.pairs_count + phase.traffic.network.pairs_count),
        messages_count(phase.traffic.node.messages_count + phase.traffic.network.messages_count),
        volume_bytes(phase.traffic.node.volume_bytes + phase.traffic.network.volume_bytes),
        disjoint(phase.traffic.disjoint) {}

  bool any() const { return sends_count > 0 || receives_count > 0; }
  // Of the busiest rank, if sends and receives overlap.
  double messages() const { return std::max(sends_count, receives_count); }
  double bytes() const { return std::max(out_bytes, in_bytes); }
  // Of the busiest rank, if they do not.
  double bytes_both_ways() const {
    return disjoint ? std::max(out_bytes, in_bytes) : out_bytes + in_bytes;
  }

  double sends_count;
  double receives_count;
  double out_bytes;
  double in_bytes;
  double pairs_count;
  double messages_count;
  double volume_bytes;
  bool disjoint;
};

// The packets of at most `packet_bytes` (> 0) of `count` messages of equal size, together `bytes`.
// A message without bytes is one packet.
inline double PacketsOfMessages(double count, double bytes, double packet_bytes) {
  return count > 0 ? count * std::max(1.0, RoundUp(bytes / count / packet_bytes)) : 0;
}

// Whether some message is longer than `bytes`, for models that know only short messages.
inline bool HasMessageAbove(const Schedule& schedule, double bytes) {
  return std::any_of(schedule.begin(), schedule.end(), [bytes](const Phase& phase) {
    return phase.traffic.any.max_message_bytes > bytes;
  });
}

// Whether a phase ends in a barrier with at least two ranks and something to wait for.
inline bool HasBarrier(const Schedule& schedule, const Phase& phase, const OneLevel& traffic) {
  return schedule.whole().processors_count != 1 && (traffic.any() || phase.ends_in_barrier);
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_ONE_LEVEL_H_
