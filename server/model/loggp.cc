#include <algorithm>

#include "model/models.h"
#include "model/self_work.h"

namespace cox::model {
namespace {

enum Index {
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
  kCount
};

constexpr ParameterSpec kParameters[kCount] = {
    {"L", Level::kNode, "s", "latency inside a node", true, 0},
    {"o", Level::kNode, "s", "processor's overhead to send or to receive, inside a node", true, 0},
    {"g", Level::kNode, "s", "least time between two messages of a rank, inside a node", false, 0},
    {"G", Level::kNode, "s/byte", "time per byte of a long message, inside a node", true, 0},
    {"L", Level::kNetwork, "s", "latency between nodes", true, 0},
    {"o", Level::kNetwork, "s", "processor's overhead to send or to receive, between nodes", true,
     0},
    {"g", Level::kNetwork, "s", "least time between two messages of a rank, between nodes", false,
     0},
    {"G", Level::kNetwork, "s/byte", "time per byte of a long message, between nodes", true, 0},
    kCopyParameter,
    kReduceParameter,
};

// One level's share of a phase. The processor spends o on each message that it sends or receives;
// in between it waits where the gap is longer than that. The paper's G (k - 1) is taken as G k: a
// message of no bytes then costs no negative time, and the difference is one byte's time.
struct Share {
  double overheads;  // messages sent and received: each costs o
  double gaps;       // waits between messages: each costs what g exceeds the overheads
  double per_gap;    // overheads that hide in one gap
  double bytes;

  double Wait(double gap_s, double overhead_s) const {
    return gaps * std::max(0.0, gap_s - per_gap * overhead_s);
  }
};

Share ShareOf(double sends, double receives, double bytes) {
  const double messages = std::max(sends, receives);
  if (messages <= 1) return {sends + receives, 0, 0, bytes};
  return {sends + receives, messages - 1, (sends + receives) / messages, bytes};
}

Share NetworkShare(const Traffic& traffic) {
  const LevelTraffic& network = traffic.network;
  return ShareOf(network.sends_count, network.receives_count,
                 std::max(network.out_bytes, network.in_bytes));
}

Share NodeShare(const Traffic& traffic, const Share& network) {
  return ShareOf(
      std::max(0.0, traffic.any.sends_count - traffic.network.sends_count),
      std::max(0.0, traffic.any.receives_count - traffic.network.receives_count),
      std::max(0.0, std::max(traffic.any.out_bytes, traffic.any.in_bytes) - network.bytes));
}

class LogGpModel final : public Model {
 public:
  absl::string_view id() const override { return "loggp"; }
  absl::string_view description() const override {
    return "latency, overhead and gap per message, gap per byte, for each level";
  }
  absl::string_view source() const override {
    return "A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, LogGP: incorporating long "
           "messages "
           "into the LogP model, SPAA 1995, section 2";
  }
  absl::string_view sees() const override {
    return "latency, processor overhead, message rate, bandwidth, two levels";
  }
  absl::string_view blind_to() const override {
    return "link congestion, ranks that share a node's injection rate";
  }
  absl::Span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }

  Cost Price(absl::Span<const double> values, const Schedule& schedule) const override {
    // In registers: stores into the result would have to be seen as changing `values`.
    double latency_s = 0, startup_s = 0, gap_s = 0, bandwidth_s = 0, copy_s = 0, compute_s = 0;
    for (const Phase& phase : schedule) {
      const Share network = NetworkShare(phase.traffic);
      const Share node = NodeShare(phase.traffic, network);
      if (network.overheads > 0) {
        latency_s += phase.times * values[kNetworkLatency];
      } else if (node.overheads > 0) {
        latency_s += phase.times * values[kNodeLatency];
      }
      startup_s += phase.times * (node.overheads * values[kNodeOverhead] +
                                  network.overheads * values[kNetworkOverhead]);
      gap_s += phase.times * (node.Wait(values[kNodeGap], values[kNodeOverhead]) +
                              network.Wait(values[kNetworkGap], values[kNetworkOverhead]));
      bandwidth_s += phase.times *
                     (node.bytes * values[kNodeByteGap] + network.bytes * values[kNetworkByteGap]);
      copy_s += phase.times * phase.work.copied_bytes * values[kCopy];
      compute_s += phase.times * phase.work.reduced_bytes * values[kReduce];
    }
    Cost cost;
    cost[Term::kLatency] = latency_s;
    cost[Term::kStartup] = startup_s;
    cost[Term::kGap] = gap_s;
    cost[Term::kBandwidth] = bandwidth_s;
    cost[Term::kCopy] = copy_s;
    cost[Term::kCompute] = compute_s;
    return cost;
  }

  void Coefficients(absl::Span<const double> values, const Schedule& schedule,
                    absl::Span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const Phase& phase : schedule) {
      const Share network = NetworkShare(phase.traffic);
      const Share node = NodeShare(phase.traffic, network);
      if (network.overheads > 0) {
        out[kNetworkLatency] += phase.times;
      } else if (node.overheads > 0) {
        out[kNodeLatency] += phase.times;
      }
      AddOverheads(node, phase.times, values.data() + kNodeLatency, out.data() + kNodeLatency);
      AddOverheads(network, phase.times, values.data() + kNetworkLatency,
                   out.data() + kNetworkLatency);
      out[kCopy] += phase.times * phase.work.copied_bytes;
      out[kReduce] += phase.times * phase.work.reduced_bytes;
    }
  }

 private:
  // values, out: one level's L, o, g, G, in this order.
  static void AddOverheads(const Share& share, double times, const double* values, double* out) {
    constexpr int kOverhead = kNodeOverhead - kNodeLatency;
    constexpr int kGap = kNodeGap - kNodeLatency;
    constexpr int kByteGap = kNodeByteGap - kNodeLatency;
    out[kOverhead] += times * share.overheads;
    if (share.Wait(values[kGap], values[kOverhead]) > 0) {
      out[kGap] += times * share.gaps;
      out[kOverhead] -= times * share.gaps * share.per_gap;
    }
    out[kByteGap] += times * share.bytes;
  }
};

}  // namespace

const Model& LogGp() {
  static const LogGpModel kModel;
  return kModel;
}

}  // namespace cox::model
