// The traffic of a phase with every message reversed. Pure, any thread.
#ifndef COX_STRATEGY_TRAFFIC_REVERSED_TRAFFIC_H_
#define COX_STRATEGY_TRAFFIC_REVERSED_TRAFFIC_H_

#include <utility>

#include "model/traffic.h"

namespace cox::strategy {

// Swaps senders and receivers, and the bytes that leave and enter the busiest node.
inline model::Traffic Reversed(model::Traffic traffic) {
  for (model::RankTraffic* rank :
       {static_cast<model::RankTraffic*>(&traffic.node),
        static_cast<model::RankTraffic*>(&traffic.network), &traffic.any}) {
    std::swap(rank->sends_count, rank->receives_count);
    std::swap(rank->out_bytes, rank->in_bytes);
  }
  std::swap(traffic.network.node_out_bytes, traffic.network.node_in_bytes);
  return traffic;
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_REVERSED_TRAFFIC_H_
