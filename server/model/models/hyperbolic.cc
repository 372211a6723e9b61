#include "domain/level.h"
#include "model/models/charge.h"
#include "model/models/models.h"
#include "model/models/narrow_network.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kNodeA,
  kNodeB,
  kNetworkA,
  kNetworkB,
  kCopy,
  kReduce,
  kOperation,
  kChannelA,
  kChannelB,
  kHalfDuplex,
  kCount
};

constexpr ParameterSpec kParameters[kCount] = {
    {"a", domain::Level::kNode, "s", "fixed service time of a message inside a node", true, 0},
    {"b", domain::Level::kNode, "s/byte", "service time per byte of long messages inside a node",
     true, 0},
    {"a", domain::Level::kNetwork, "s",
     "fixed service time of a message between nodes, at both ends", true, 0},
    {"b", domain::Level::kNetwork, "s/byte", "service time per byte of long messages between nodes",
     true, 0},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
    {"a_channel", domain::Level::kNetwork, "s",
     "fixed service time of each message in a channel that all share", false, 0, true},
    {"b_channel", domain::Level::kNetwork, "s/byte",
     "service time per byte of all messages in a channel that all share", false, 0, true},
    {"half_duplex", domain::Level::kNetwork, "0 or 1",
     "1: an end serves the messages that it sends and those that it receives one after the other",
     false, 0, true},
};

// A block (a, b) under the load of a phase: the sum of its fixed times and of its bytes' time. The
// two summands of the hyperbola are its terms.
struct Load {
  double fixed_s = 0;
  double bytes_s = 0;

  // a / (a + b x); 1 without bytes.
  double share() const {
    const double sum_s = fixed_s + bytes_s;
    return sum_s > 0 ? fixed_s / sum_s : 1.0;
  }
  double startup_s() const { return fixed_s * share(); }
};

// One phase between nodes: rule 3 for the messages of the busiest end and for those in the channel,
// then rule 1 (serial, independent) for both blocks.
struct Network {
  Network(const Values& values, const Phase& phase, const Charge& charge) {
    const LevelTraffic& network = phase.traffic.network;
    const bool both = values[kHalfDuplex] > 0 && !phase.traffic.disjoint;
    end_messages = both ? network.sends_count + network.receives_count : charge.network_messages;
    end_bytes = both ? network.out_bytes + network.in_bytes : charge.network_bytes;
    channel_messages = network.messages_count;
    channel_bytes = network.volume_bytes;
    const double end_bytes_s = end_bytes * values[kNetworkB];
    const double channel_bytes_s = channel_bytes * values[kChannelB];
    channel_is_slower = channel_bytes_s > end_bytes_s;
    load.fixed_s = end_messages * values[kNetworkA] + channel_messages * values[kChannelA];
    load.bytes_s = std::max(end_bytes_s, channel_bytes_s);
  }

  double end_messages;
  double end_bytes;
  double channel_messages;
  double channel_bytes;
  bool channel_is_slower;
  Load load;
};

class HyperbolicModel final : public Model {
 public:
  absl::string_view id() const override { return "hyperbolic"; }
  absl::string_view description() const override {
    return "a hyperbola from a message's fixed service time to the byte time of long messages";
  }
  absl::string_view source() const override {
    return "I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of "
           "architectures, 1996, Eq. (2), rules 1 and 3";
  }
  absl::string_view sees() const override {
    return "latency, bandwidth, the bend between them, link congestion (of a shared channel), "
           "levels";
  }
  absl::string_view blind_to() const override {
    return "packet boundaries, imbalance, processor congestion, ranks that share a node";
  }
  absl::Span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }

  std::string Caveat(const Values& values, const Schedule& schedule) const override {
    const bool has_channel = values[kChannelA] > 0 || values[kChannelB] > 0;
    return has_channel ? "" : NarrowNetworkCaveat(schedule);
  }

  Cost Price(const Values& values, const Schedule& schedule) const override {
    // In registers: stores into the result would have to be seen as changing `values`.
    double startup_s = 0, bandwidth_s = 0, copy_s = 0, compute_s = 0;
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      const Load node = NodeLoad(values, charge);
      const Load network = Network(values, phase, charge).load;
      startup_s += phase.times * (node.startup_s() + network.startup_s());
      bandwidth_s += phase.times * (node.bytes_s + network.bytes_s);
      copy_s += phase.times * phase.work.copied_bytes * values[kCopy];
      compute_s += phase.times * (phase.work.reduced_bytes * values[kReduce] +
                                  phase.work.operations * values[kOperation]);
    }
    Cost cost;
    cost[Term::kStartup] = startup_s;
    cost[Term::kBandwidth] = bandwidth_s;
    cost[Term::kCopy] = copy_s;
    cost[Term::kCompute] = compute_s;
    return cost;
  }

  void Coefficients(const Values& values, const Schedule& schedule,
                    absl::Span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      const double node = NodeLoad(values, charge).share();
      const Network network(values, phase, charge);
      const double share = network.load.share();
      // With f = a / (a + b x): dT/da = f (2 - f), dT/d(b x) = 1 - f^2.
      out[kNodeA] += phase.times * charge.node_messages * node * (2 - node);
      out[kNodeB] += phase.times * charge.node_bytes * (1 - node * node);
      const double by_fixed = phase.times * share * (2 - share);
      const double by_bytes = phase.times * (1 - share * share);
      out[kNetworkA] += network.end_messages * by_fixed;
      out[kChannelA] += network.channel_messages * by_fixed;
      if (network.channel_is_slower) {
        out[kChannelB] += network.channel_bytes * by_bytes;
      } else {
        out[kNetworkB] += network.end_bytes * by_bytes;
      }
      out[kCopy] += phase.times * phase.work.copied_bytes;
      out[kReduce] += phase.times * phase.work.reduced_bytes;
      out[kOperation] += phase.times * phase.work.operations;
    }
  }

 private:
  static Load NodeLoad(const Values& values, const Charge& charge) {
    return {charge.node_messages * values[kNodeA], charge.node_bytes * values[kNodeB]};
  }
};

}  // namespace

const Model& Hyperbolic() {
  static const HyperbolicModel kModel;
  return kModel;
}

}  // namespace cox::model
