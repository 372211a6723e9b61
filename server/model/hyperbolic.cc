#include "model/charge.h"
#include "model/models.h"
#include "model/self_work.h"

namespace cox::model {
namespace {

enum Index { kNodeA, kNodeB, kNetworkA, kNetworkB, kCopy, kReduce, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"a", Level::kNode, "s", "fixed service time of a packet inside a node", true, 0},
    {"b", Level::kNode, "s/byte", "service time per byte of long messages inside a node", true, 0},
    {"a", Level::kNetwork, "s", "fixed service time of a packet between nodes", true, 0},
    {"b", Level::kNetwork, "s/byte", "service time per byte of long messages between nodes", true,
     0},
    kCopyParameter,
    kReduceParameter,
};

// Rule 3: n messages of x bytes together are one message of x bytes through a block (n a, b). The
// hyperbola's two summands are the terms: what is left of the fixed time, and the bytes' time.
struct Block {
  double bytes_s;    // b x
  double startup_s;  // (n a)^2 / (n a + b x)
  double share;      // n a / (n a + b x); 1 where there are no bytes to hide behind
};

Block BlockOf(double messages, double bytes, double a_s, double b_s_per_byte) {
  const double fixed_s = messages * a_s;
  const double bytes_s = bytes * b_s_per_byte;
  const double sum_s = fixed_s + bytes_s;
  const double share = sum_s > 0 ? fixed_s / sum_s : 1.0;
  return {bytes_s, fixed_s * share, share};
}

class HyperbolicModel final : public Model {
 public:
  absl::string_view id() const override { return "hyperbolic"; }
  absl::string_view description() const override {
    return "a hyperbola from a packet's fixed service time to the byte time of long messages";
  }
  absl::string_view source() const override {
    return "I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of "
           "architectures, 1996, Eq. (2) and rule 3";
  }
  absl::string_view sees() const override {
    return "latency, bandwidth, the bend between them, two levels";
  }
  absl::string_view blind_to() const override {
    return "packet boundaries, link congestion, ranks that share a node's injection rate";
  }
  absl::Span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }

  Cost Price(absl::Span<const double> values, const Schedule& schedule) const override {
    // In registers: stores into the result would have to be seen as changing `values`.
    double startup_s = 0, bandwidth_s = 0, copy_s = 0, compute_s = 0;
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      const Block node =
          BlockOf(charge.node_messages, charge.node_bytes, values[kNodeA], values[kNodeB]);
      const Block network = BlockOf(charge.network_messages, charge.network_bytes,
                                    values[kNetworkA], values[kNetworkB]);
      startup_s += phase.times * (node.startup_s + network.startup_s);
      bandwidth_s += phase.times * (node.bytes_s + network.bytes_s);
      copy_s += phase.times * phase.work.copied_bytes * values[kCopy];
      compute_s += phase.times * phase.work.reduced_bytes * values[kReduce];
    }
    Cost cost;
    cost[Term::kStartup] = startup_s;
    cost[Term::kBandwidth] = bandwidth_s;
    cost[Term::kCopy] = copy_s;
    cost[Term::kCompute] = compute_s;
    return cost;
  }

  void Coefficients(absl::Span<const double> values, const Schedule& schedule,
                    absl::Span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      const Block node =
          BlockOf(charge.node_messages, charge.node_bytes, values[kNodeA], values[kNodeB]);
      const Block network = BlockOf(charge.network_messages, charge.network_bytes,
                                    values[kNetworkA], values[kNetworkB]);
      // With f = n a / (n a + b x): dT/d(n a) = f (2 - f), dT/d(b x) = 1 - f^2.
      out[kNodeA] += phase.times * charge.node_messages * node.share * (2 - node.share);
      out[kNodeB] += phase.times * charge.node_bytes * (1 - node.share * node.share);
      out[kNetworkA] += phase.times * charge.network_messages * network.share * (2 - network.share);
      out[kNetworkB] += phase.times * charge.network_bytes * (1 - network.share * network.share);
      out[kCopy] += phase.times * phase.work.copied_bytes;
      out[kReduce] += phase.times * phase.work.reduced_bytes;
    }
  }
};

}  // namespace

const Model& Hyperbolic() {
  static const HyperbolicModel kModel;
  return kModel;
}

}  // namespace cox::model
