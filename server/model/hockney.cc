#include "model/charge.h"
#include "model/models.h"
#include "model/self_work.h"

namespace cox::model {
namespace {

enum Index { kNodeAlpha, kNodeBeta, kNetworkAlpha, kNetworkBeta, kCopy, kReduce, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"alpha", Level::kNode, "s", "start-up time of a message inside a node", true, 0},
    {"beta", Level::kNode, "s/byte", "time per byte inside a node", true, 0},
    {"alpha", Level::kNetwork, "s", "start-up time of a message between nodes", true, 0},
    {"beta", Level::kNetwork, "s/byte", "time per byte between nodes", true, 0},
    kCopyParameter,
    kReduceParameter,
};

class HockneyModel final : public Model {
 public:
  absl::string_view id() const override { return "hockney"; }
  absl::string_view description() const override {
    return "alpha-beta: a start-up per message and a time per byte, for each level";
  }
  absl::string_view source() const override {
    return "R. W. Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, "
           "Parallel Computing 20 (1994), Eq. (1)";
  }
  absl::string_view sees() const override { return "latency, bandwidth, two levels"; }
  absl::string_view blind_to() const override {
    return "link congestion, ranks that share a node's injection rate, overlap";
  }
  absl::Span<const ParameterSpec> parameters() const override { return kParameters; }
  bool linear() const override { return true; }

  Cost Price(absl::Span<const double> values, const Schedule& schedule) const override {
    // In registers: stores into the result would have to be seen as changing `values`.
    double startup_s = 0, bandwidth_s = 0, copy_s = 0, compute_s = 0;
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      startup_s += phase.times * (charge.node_messages * values[kNodeAlpha] +
                                  charge.network_messages * values[kNetworkAlpha]);
      bandwidth_s += phase.times * (charge.node_bytes * values[kNodeBeta] +
                                    charge.network_bytes * values[kNetworkBeta]);
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

  void Coefficients(absl::Span<const double>, const Schedule& schedule,
                    absl::Span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const Phase& phase : schedule) {
      const Charge charge = ChargeOf(phase.traffic);
      out[kNodeAlpha] += phase.times * charge.node_messages;
      out[kNodeBeta] += phase.times * charge.node_bytes;
      out[kNetworkAlpha] += phase.times * charge.network_messages;
      out[kNetworkBeta] += phase.times * charge.network_bytes;
      out[kCopy] += phase.times * phase.work.copied_bytes;
      out[kReduce] += phase.times * phase.work.reduced_bytes;
    }
  }
};

}  // namespace

const Model& Hockney() {
  static const HockneyModel kModel;
  return kModel;
}

}  // namespace cox::model
