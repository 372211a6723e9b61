#include "model/charge.h"
#include "model/models.h"
#include "model/self_work.h"

namespace cox::model {
namespace {

enum Index {
  kNodeAlpha,
  kNodeBeta,
  kNetworkAlpha,
  kNetworkBeta,
  kNetworkInjection,
  kCopy,
  kReduce,
  kCount
};

// Rates enter as times per byte: no limit is then 0, a value like any other, and the price is
// piecewise linear in every parameter.
constexpr ParameterSpec kParameters[kCount] = {
    {"alpha", Level::kNode, "s", "start-up time of a message inside a node", true, 0},
    {"beta", Level::kNode, "s/byte", "time per byte of one pair inside a node", true, 0},
    {"alpha", Level::kNetwork, "s", "start-up time of a message between nodes", true, 0},
    {"beta", Level::kNetwork, "s/byte", "time per byte of one pair between nodes: 1 / R_C", true,
     0},
    {"injection", Level::kNetwork, "s/byte",
     "time per byte that all ranks of a node together send (or receive): 1 / R_N; 0: no limit",
     false, 0},
    kCopyParameter,
    kReduceParameter,
};

// How much longer the busiest node takes than its busiest rank alone, over the rank's byte time.
struct Injection {
  double node_bytes;
  double excess_s;
};

Injection InjectionOf(absl::Span<const double> values, const Phase& phase, const Charge& charge) {
  const LevelTraffic& network = phase.traffic.network;
  const double node_bytes = std::max(network.node_out_bytes, network.node_in_bytes);
  return {node_bytes, std::max(0.0, node_bytes * values[kNetworkInjection] -
                                        charge.network_bytes * values[kNetworkBeta])};
}

class MaxRateModel final : public Model {
 public:
  absl::string_view id() const override { return "max-rate"; }
  absl::string_view description() const override {
    return "alpha-beta, where the ranks of a node share its injection rate";
  }
  absl::string_view source() const override {
    return "W. Gropp, L. Olson, P. Samfass, Modeling MPI communication performance on SMP nodes: "
           "is it time to retire the ping pong test, EuroMPI 2016, Eq. (2)";
  }
  absl::string_view sees() const override {
    return "latency, bandwidth, two levels, a node's injection rate";
  }
  absl::string_view blind_to() const override { return "congestion inside the network, overlap"; }
  absl::Span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return false; }

  Cost Price(absl::Span<const double> values, const Schedule& schedule) const override {
    // In registers: stores into the result would have to be seen as changing `values`.
    double startup_s = 0, bandwidth_s = 0, congestion_s = 0, copy_s = 0, compute_s = 0;
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      startup_s += phase.times * (charge.node_messages * values[kNodeAlpha] +
                                  charge.network_messages * values[kNetworkAlpha]);
      bandwidth_s += phase.times * (charge.node_bytes * values[kNodeBeta] +
                                    charge.network_bytes * values[kNetworkBeta]);
      congestion_s += phase.times * InjectionOf(values, phase, charge).excess_s;
      copy_s += phase.times * phase.work.copied_bytes * values[kCopy];
      compute_s += phase.times * phase.work.reduced_bytes * values[kReduce];
    }
    Cost cost;
    cost[Term::kStartup] = startup_s;
    cost[Term::kBandwidth] = bandwidth_s;
    cost[Term::kLinkCongestion] = congestion_s;
    cost[Term::kCopy] = copy_s;
    cost[Term::kCompute] = compute_s;
    return cost;
  }

  void Coefficients(absl::Span<const double> values, const Schedule& schedule,
                    absl::Span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      const Injection injection = InjectionOf(values, phase, charge);
      out[kNodeAlpha] += phase.times * charge.node_messages;
      out[kNodeBeta] += phase.times * charge.node_bytes;
      out[kNetworkAlpha] += phase.times * charge.network_messages;
      if (injection.excess_s > 0) {
        out[kNetworkInjection] += phase.times * injection.node_bytes;
      } else {
        out[kNetworkBeta] += phase.times * charge.network_bytes;
      }
      out[kCopy] += phase.times * phase.work.copied_bytes;
      out[kReduce] += phase.times * phase.work.reduced_bytes;
    }
  }
};

}  // namespace

const Model& MaxRate() {
  static const MaxRateModel kModel;
  return kModel;
}

}  // namespace cox::model
