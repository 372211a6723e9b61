// Counts a rank's peers on its own node. Pure, any thread, no allocation.
#ifndef COX_STRATEGY_TRAFFIC_NODE_PEERS_H_
#define COX_STRATEGY_TRAFFIC_NODE_PEERS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/traffic.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/peers.h"
#include "strategy/traffic/residues.h"

namespace cox::strategy {

// One direction of a rank's messages, in blocks.
struct OneWay {
  double messages = 0;
  double blocks = 0;
  double max_blocks = 0;  // largest message
};
struct ByLevel {
  OneWay node;
  OneWay network;
  OneWay any() const;
};

class NodePeers {
 public:
  explicit NodePeers(const Nodes& nodes) : nodes_(nodes) {}

  // Splits the messages of a rank on `node` by level.
  ByLevel Divide(int64_t node, const Peers& peers);

 private:
  int64_t CountIn(int64_t node, const PeerRun& run);
  const Stride& StrideOf(int64_t step);

  Nodes nodes_;
  // An algorithm has few steps; the last ones stay prepared.
  std::array<Stride, 4> strides_;
  size_t next_ = 0;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_NODE_PEERS_H_
