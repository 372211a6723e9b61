#include <algorithm>

#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kNodeLatency,
  kNodeOverhead,
  kNodeGap,
  kNodeByteGap,
  kNetworkLatency,
  kNetworkOverhead,
  kNetworkGap,
  kNetworkByteGap,
  kCopy,
  kReduce,
  kOperation,
  kCount
};

constexpr ParameterSpec kParameters[kCount] = {
    {"L", domain::Level::kNode, "s", "latency inside a node", true, 0},
    {"o", domain::Level::kNode, "s", "processor's overhead to send or to receive, inside a node",
     true, 0},
    {"g", domain::Level::kNode, "s", "least time between two messages of a rank, inside a node",
     false, 0},
    {"G", domain::Level::kNode, "s/byte", "time per byte of a long message, inside a node", true,
     0},
    {"L", domain::Level::kNetwork, "s", "latency between nodes", true, 0},
    {"o", domain::Level::kNetwork, "s", "processor's overhead to send or to receive, between nodes",
     true, 0},
    {"g", domain::Level::kNetwork, "s", "least time between two messages of a rank, between nodes",
     false, 0},
    {"G", domain::Level::kNetwork, "s/byte", "time per byte of a long message, between nodes", true,
     0},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

// One level's share of a phase. The processor spends o on each message that it sends or receives.
// Between messages it waits if the gap is longer than that. The paper's G (k - 1) is G k here, so
// that a message without bytes has no negative time; the difference is one byte's time.
struct Share {
  double overheads;  // messages sent and received: each costs o
  double gaps;       // waits between messages: each costs g minus the overheads in it
  double per_gap;    // overheads within one gap
  double bytes;
};

Share ShareOf(double sends, double receives, double bytes, bool disjoint) {
  const double messages = std::max(sends, receives);
  if (messages <= 1) return {sends + receives, 0, 0, bytes};
  // If no rank does both: one end's overheads, and the other end's for the last message.
  const double overheads = disjoint ? std::min(sends + receives, messages + 1) : sends + receives;
  return {overheads, messages - 1, overheads / messages, bytes};
}

Share NetworkShare(const Traffic& traffic) {
  const LevelTraffic& network = traffic.network;
  return ShareOf(network.sends_count, network.receives_count,
                 std::max(network.out_bytes, network.in_bytes), traffic.disjoint);
}

Share NodeShare(const Traffic& traffic, const Share& network) {
  return ShareOf(
      std::max(0.0, traffic.any.sends_count - traffic.network.sends_count),
      std::max(0.0, traffic.any.receives_count - traffic.network.receives_count),
      std::max(0.0, std::max(traffic.any.out_bytes, traffic.any.in_bytes) - network.bytes),
      traffic.disjoint);
}

// One level's L, o, g, G are consecutive.
template <class Bill>
void ChargeShare(const Values& values, const Share& share, size_t latency, Bill* bill) {
  const size_t overhead = latency + 1;
  const size_t gap = latency + 2;
  const size_t byte_gap = latency + 3;
  bill->Add(Term::kStartup, overhead, share.overheads);
  if (values[gap] > share.per_gap * values[overhead]) {
    bill->Add(Term::kGap, gap, share.gaps);
    bill->Add(Term::kGap, overhead, -share.gaps * share.per_gap);
  }
  bill->Add(Term::kBandwidth, byte_gap, share.bytes);
}

class LogGpModel final : public ChargedModel<LogGpModel> {
 public:
  static constexpr ModelCard kCard = {
      "loggp",
      "latency, overhead and gap per message, gap per byte, for each level",
      "A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, LogGP: incorporating long messages "
      "into the LogP model, SPAA 1995, section 2",
      "latency, bandwidth, gap, processor overhead, levels",
      "link congestion, endpoint contention, imbalance",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const Share network = NetworkShare(phase.traffic);
    const Share node = NodeShare(phase.traffic, network);
    if (network.overheads > 0) {
      bill->Add(Term::kLatency, kNetworkLatency, 1);
    } else if (node.overheads > 0) {
      bill->Add(Term::kLatency, kNodeLatency, 1);
    }
    ChargeShare(values, node, kNodeLatency, bill);
    ChargeShare(values, network, kNetworkLatency, bill);
    ChargeSelf(phase, kCopy, bill);
  }
};

}  // namespace

const Model& LogGp() {
  static const LogGpModel kModel;
  return kModel;
}

}  // namespace cox::model
