#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
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
  kCopy,
  kReduce,
  kOperation,
  kNodeAlphaCpu,
  kNodeBetaCpu,
  kNetworkAlphaCpu,
  kNetworkBetaCpu,
  kSocketAlpha,
  kSocketBeta,
  kCount
};

constexpr absl::string_view kStartCpu = "the part of alpha in which the processor is busy";
constexpr absl::string_view kByteCpu = "the part of beta in which the processor is busy";
constexpr ParameterSpec kParameters[kCount] = {
    {"alpha", domain::Level::kNode, "s", "start-up time of a message inside a node", true, 0, false,
     kMessageBytes},
    {"beta", domain::Level::kNode, "s/byte", "time per byte inside a node", true, 0, false,
     kMessageBytes},
    {"alpha", domain::Level::kNetwork, "s", "start-up time of a message between nodes", true, 0,
     false, kMessageBytes},
    {"beta", domain::Level::kNetwork, "s/byte", "time per byte between nodes", true, 0, false,
     kMessageBytes},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
    {"alpha_cpu", domain::Level::kNode, "s", kStartCpu, false, 0, true},
    {"beta_cpu", domain::Level::kNode, "s/byte", kByteCpu, false, 0, true},
    {"alpha_cpu", domain::Level::kNetwork, "s", kStartCpu, false, 0, true},
    {"beta_cpu", domain::Level::kNetwork, "s/byte", kByteCpu, false, 0, true},
    SocketAlpha(kMessageBytes),
    SocketBeta(kMessageBytes),
};

class HockneyModel final : public ChargedModel<HockneyModel> {
 public:
  static constexpr ModelCard kCard = {
      "hockney",
      "alpha-beta: a start-up per message and a time per byte, for each level",
      "R. W. Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel "
      "Computing 20 (1994), Eq. (1); processor time: L. V. Kale, S. Kumar, K. Varadarajan, A "
      "framework for collective personalized communication, 2003, section 2.1",
      "latency, bandwidth, levels",
      "link congestion, endpoint contention, imbalance, overlap",
      kParameters,
      true};

  template <class Bill>
  static void Charge(const Values& /*values*/, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const auto charge = ChargeOf(phase.traffic);
    const double node_bytes = phase.traffic.node.max_message_bytes;
    const double network_bytes = phase.traffic.network.max_message_bytes;
    bill->Add(Term::kStartup, kNodeAlpha, charge.node_messages, node_bytes);
    bill->Add(Term::kStartup, kNetworkAlpha, charge.network_messages, network_bytes);
    bill->Add(Term::kBandwidth, kNodeBeta, charge.node_bytes, node_bytes);
    bill->Add(Term::kBandwidth, kNetworkBeta, charge.network_bytes, network_bytes);
    bill->AddCpu(kNodeAlphaCpu, kNodeAlpha, charge.node_messages, node_bytes);
    bill->AddCpu(kNodeBetaCpu, kNodeBeta, charge.node_bytes, node_bytes);
    bill->AddCpu(kNetworkAlphaCpu, kNetworkAlpha, charge.network_messages, network_bytes);
    bill->AddCpu(kNetworkBetaCpu, kNetworkBeta, charge.network_bytes, network_bytes);
    ChargeSelf(phase, kCopy, bill);
  }

  // With pieces a phase's longest message would set the price of all. Listed, each message has its
  // own, and the busiest rank is the one whose messages cost most. A list does not say which
  // messages stay in nodes, so all must be of one level.
  std::optional<Cost> PriceListed(const Values& values, const Schedule& schedule,
                                  absl::Span<const Transfer> messages) const override {
    const Phase& phase = schedule[0];
    const bool crosses = phase.traffic.network.messages_count > 0;
    if (!values.has_pieces() || (crosses && phase.traffic.node.messages_count > 0)) return {};
    PriceBill busiest(values);
    for (const auto end : {&Transfer::source, &Transfer::destination}) {
      absl::flat_hash_map<int64_t, PriceBill> bills;
      for (const Transfer& message : messages) {
        if (message.source == message.destination) continue;
        PriceBill& bill = bills.try_emplace(message.*end, values).first->second;
        if (crosses) {
          AddMessage({kNetworkAlpha, kNetworkBeta, kNetworkAlphaCpu, kNetworkBetaCpu},
                     message.bytes, &bill);
        } else {
          AddMessage({kNodeAlpha, kNodeBeta, kNodeAlphaCpu, kNodeBetaCpu}, message.bytes, &bill);
        }
        if (bill.cost().TotalSeconds() > busiest.cost().TotalSeconds()) busiest = bill;
      }
    }
    ChargeSelf(phase, kCopy, &busiest);
    return busiest.cost();
  }

 private:
  struct LevelIndices {
    size_t alpha;
    size_t beta;
    size_t alpha_cpu;
    size_t beta_cpu;
  };
  static void AddMessage(const LevelIndices& level, double bytes, PriceBill* bill) {
    bill->Add(Term::kStartup, level.alpha, 1, bytes);
    bill->Add(Term::kBandwidth, level.beta, bytes, bytes);
    bill->AddCpu(level.alpha_cpu, level.alpha, 1, bytes);
    bill->AddCpu(level.beta_cpu, level.beta, bytes, bytes);
  }
};

}  // namespace

const Model& Hockney() {
  static const HockneyModel kModel;
  return kModel;
}

}  // namespace cox::model
