#include "domain/level.h"
#include "model/models/charge.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/self_work.h"
#include "model/models/socket_level.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kNodeAlpha,
  kNodeBeta,
  kNetworkAlpha,
  kNetworkBeta,
  kNetworkInjection,
  kCopy,
  kReduce,
  kOperation,
  kSocketAlpha,
  kSocketBeta,
  kCount
};

// Rates are times per byte, so that "no limit" is the value 0 and the price is piecewise linear in
// every parameter.
constexpr ParameterSpec kParameters[kCount] = {
    {"alpha", domain::Level::kNode, "s", "start-up time of a message inside a node", true, 0},
    {"beta", domain::Level::kNode, "s/byte", "time per byte of one pair inside a node", true, 0},
    {"alpha", domain::Level::kNetwork, "s", "start-up time of a message between nodes", true, 0},
    {"beta", domain::Level::kNetwork, "s/byte", "time per byte of one pair between nodes: 1 / R_C",
     true, 0},
    {"injection", domain::Level::kNetwork, "s/byte",
     "time per byte that all ranks of a node together send (or receive): 1 / R_N; 0: no limit",
     false, 0},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
    SocketAlpha(""),
    SocketBeta(""),
};

class MaxRateModel final : public ChargedModel<MaxRateModel> {
 public:
  static constexpr ModelCard kCard = {
      "max-rate",
      "alpha-beta, where the ranks of a node share its injection rate",
      "W. Gropp, L. Olson, P. Samfass, Modeling MPI communication performance on SMP nodes: is it "
      "time to retire the ping pong test, EuroMPI 2016, Eq. (2)",
      "latency, bandwidth, levels, endpoint contention (a node's injection rate)",
      "link congestion (an answer says where links may be slower), imbalance, overlap",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const auto charge = ChargeOf(phase.traffic);
    bill->Add(Term::kStartup, kNodeAlpha, charge.node_messages);
    bill->Add(Term::kStartup, kNetworkAlpha, charge.network_messages);
    bill->Add(Term::kBandwidth, kNodeBeta, charge.node_bytes);
    bill->Add(Term::kBandwidth, kNetworkBeta, charge.network_bytes);
    // The extra time of the busiest node over its busiest rank alone.
    const LevelTraffic& network = phase.traffic.network;
    const double node_bytes = std::max(network.node_out_bytes, network.node_in_bytes);
    if (node_bytes * values[kNetworkInjection] > charge.network_bytes * values[kNetworkBeta]) {
      bill->Add(Term::kLinkCongestion, kNetworkInjection, node_bytes);
      bill->Add(Term::kLinkCongestion, kNetworkBeta, -charge.network_bytes);
    }
    ChargeSelf(phase, kCopy, bill);
  }
};

}  // namespace

const Model& MaxRate() {
  static const MaxRateModel kModel;
  return kModel;
}

}  // namespace cox::model
