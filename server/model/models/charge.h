// What a phase is charged at each level, by the rule of model/traffic.h: the network's messages
// first, the rest of the busiest rank at the node's price. For the models that price the busiest
// rank. Pure functions, any thread.
#ifndef COX_MODEL_MODELS_CHARGE_H_
#define COX_MODEL_MODELS_CHARGE_H_

#include <algorithm>

#include "model/traffic.h"

namespace cox::model {

// Messages and bytes of the busiest rank. Links are taken as full duplex: sends and receives
// overlap, so the larger of the two counts.
struct Charge {
  double node_messages;
  double network_messages;
  double node_bytes;
  double network_bytes;
};

// The charge of one repetition of a phase.
inline Charge ChargeOf(const Traffic& traffic) {
  const double network_messages =
      std::max(traffic.network.sends_count, traffic.network.receives_count);
  const double network_bytes = std::max(traffic.network.out_bytes, traffic.network.in_bytes);
  const double messages = std::max(traffic.any.sends_count, traffic.any.receives_count);
  const double bytes = std::max(traffic.any.out_bytes, traffic.any.in_bytes);
  return {std::max(0.0, messages - network_messages), network_messages,
          std::max(0.0, bytes - network_bytes), network_bytes};
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_CHARGE_H_
