// The cluster model: a cost function of the packet size for each step of a packet: handed over,
// sent, carried, received, noticed.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kSendOverhead,
  kSendOverheadByte,
  kSendGap,
  kSendGapByte,
  kReceiveGap,
  kReceiveGapByte,
  kLatency,
  kLatencyByte,
  kLatencyProcessor,
  kSwitchByte,
  kReceiveOverhead,
  kReceiveOverheadByte,
  kNotice,
  kBuffer,
  kPacket,
  kCopy,
  kReduce,
  kOperation,
  kCount
};

constexpr absl::string_view kBytes = "bytes of a packet";
constexpr ParameterSpec kParameters[kCount] = {
    {"O_s", domain::Level::kNetwork, "s", "sender's processor time to hand over a packet", true, 0,
     false, kBytes},
    {"O_s_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte", false, 0, false,
     kBytes},
    {"g_s", domain::Level::kNetwork, "s", "least time between two packets that leave a sender",
     true, 0, false, kBytes},
    {"g_s_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte", false, 0, false,
     kBytes},
    {"g_r", domain::Level::kNetwork, "s",
     "least time between two packets that arrive at a receiver", true, 0, false, kBytes},
    {"g_r_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte", false, 0, false,
     kBytes},
    {"L", domain::Level::kNetwork, "s", "transfer of a packet from memory to memory", true, 0,
     false, kBytes},
    {"L_byte", domain::Level::kNetwork, "s/byte",
     "the same, for each byte; longer where the switch is overloaded", false, 0, false, kBytes},
    {"L_processor", domain::Level::kNetwork, "s", "the same, for each processor that takes part",
     false, 0, false, kBytes},
    {"switch_byte", domain::Level::kNetwork, "s/byte",
     "time in which the switch carries a byte, of all processors together; 0: no limit", false, 0},
    {"O_r", domain::Level::kNetwork, "s", "kernel's work for a packet that arrives", true, 0, false,
     kBytes},
    {"O_r_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte", false, 0, false,
     kBytes},
    {"U_r", domain::Level::kNetwork, "s", "receiving process notices and takes a packet", true, 0,
     false, kBytes},
    {"B_L", domain::Level::kNetwork, "packets", "packets that the switch can hold; 0: no limit",
     false, 0, true},
    {"packet", domain::Level::kNetwork, "byte", "largest packet; longer messages are several", true,
     1, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

// The busiest rank's packets.
struct Packets {
  Packets(const Values& values, const OneLevel& traffic) {
    const double packet = std::max(1.0, values[kPacket]);
    sent = PacketsOfMessages(traffic.sends_count, traffic.out_bytes, packet);
    received = PacketsOfMessages(traffic.receives_count, traffic.in_bytes, packet);
    bytes = std::min(packet, traffic.bytes() / std::max(1.0, traffic.messages()));
  }
  double sent;
  double received;
  double bytes;  // of one
};

double Sum(const Values& values, size_t constant, size_t per_byte, double bytes) {
  return values.At(constant, bytes) + values.At(per_byte, bytes) * bytes;
}

// A constant and its slope by bytes, `times` times.
template <class Bill>
void AddBoth(Term term, size_t constant, size_t per_byte, double times, double bytes, Bill* bill) {
  bill->Add(term, constant, times, bytes);
  bill->Add(term, per_byte, times * bytes, bytes);
}

class ClusterModel final : public ChargedModel<ClusterModel> {
 public:
  static constexpr ModelCard kCard = {
      "cluster",
      "packets on a switched cluster: overheads, gaps and transfer as functions of packet size",
      "A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on cluster, "
      "1999, sections 2 to 5, Table 1",
      "latency, bandwidth, gap, endpoint contention, link congestion (at the switch)",
      "processor congestion, topology beyond one switch, levels",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& schedule, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (traffic.any()) {
      const Packets packets(values, traffic);
      ChargeOnePacket(values, schedule, traffic, packets, bill);
      ChargeFurther(values, traffic, packets, bill);
    }
    ChargeSelf(phase, kCopy, bill);
  }

  bool PricesLinks(const Values& values) const override { return values[kSwitchByte] > 0; }

  std::string OwnCaveat(const Values& values, const Schedule& schedule) const override {
    if (!(values[kBuffer] > 0)) return "";
    for (const Phase& phase : schedule) {
      const OneLevel traffic(phase);
      const Packets packets(values, traffic);
      const double senders = traffic.receives_count;
      if (senders <= 1) continue;
      const double each = packets.received / senders;
      const double lossless =
          std::floor(Sum(values, kSendGap, kSendGapByte, packets.bytes) /
                         Sum(values, kReceiveGap, kReceiveGapByte, packets.bytes) +
                     values[kBuffer] / each);
      if (senders > lossless) {
        return absl::StrCat(senders, " ranks send to one at once; more than ", lossless,
                            " can overrun the switch's buffer: packets may be lost (see "
                            "gather/windowed)");
      }
    }
    return "";
  }

 private:
  // O_s + L + O_r + U_r: the time of the first packet.
  template <class Bill>
  static void ChargeOnePacket(const Values& values, const Schedule& schedule,
                              const OneLevel& traffic, const Packets& packets, Bill* bill) {
    const double m = packets.bytes;
    const double ranks = schedule.whole().processors_count;
    const double in_event = traffic.pairs_count + 1;
    const double taking_part = ranks > 0 ? std::min(ranks, in_event) : in_event;
    AddBoth(Term::kStartup, kSendOverhead, kSendOverheadByte, 1, m, bill);
    bill->Add(Term::kLatency, kLatency, 1, m);
    bill->Add(Term::kLatency, kLatencyProcessor, taking_part, m);
    const double gap_s = Sum(values, kSendGap, kSendGapByte, m);
    const double load = gap_s > 0 ? taking_part * m * values[kSwitchByte] / gap_s : 0;
    const double per_byte = values.At(kLatencyByte, m);
    bill->Add(Term::kLatency, kLatencyByte, m, m);
    if (load > 1) {
      bill->Add(Term::kLinkCongestion, kLatencyByte, m * (load - 1), m);
      const double carried_s = per_byte * m * load;
      bill->Slope(kSwitchByte, carried_s / values[kSwitchByte]);
      bill->Slope(kSendGap, -carried_s / gap_s);
      bill->Slope(kSendGapByte, -carried_s / gap_s * m);
    }
    AddBoth(Term::kStartup, kReceiveOverhead, kReceiveOverheadByte, 1, m, bill);
    bill->Add(Term::kStartup, kNotice, 1, m);
  }

  // Every further packet waits for the slowest of: the sender's and the receiver's network
  // interface, and the processor that hands over and takes in.
  template <class Bill>
  static void ChargeFurther(const Values& values, const OneLevel& traffic, const Packets& packets,
                            Bill* bill) {
    const double m = packets.bytes;
    const double sent = std::max(0.0, packets.sent - 1);
    const double received = std::max(0.0, packets.received - 1);
    const double sending_s = sent * Sum(values, kSendGap, kSendGapByte, m);
    const double arriving_s = received * Sum(values, kReceiveGap, kReceiveGapByte, m);
    const double hand_over_s = Sum(values, kSendOverhead, kSendOverheadByte, m);
    const double take_in_s =
        Sum(values, kReceiveOverhead, kReceiveOverheadByte, m) + values.At(kNotice, m);
    // No rank does both: the busier of the two ends.
    const bool sends = !traffic.disjoint || sent * hand_over_s >= received * take_in_s;
    const bool receives = !traffic.disjoint || !sends;
    const double processor_s =
        (sends ? sent * hand_over_s : 0) + (receives ? received * take_in_s : 0);
    if (sending_s >= arriving_s && sending_s >= processor_s) {
      AddBoth(Term::kGap, kSendGap, kSendGapByte, sent, m, bill);
    } else if (arriving_s >= processor_s) {
      AddBoth(Term::kGap, kReceiveGap, kReceiveGapByte, received, m, bill);
    } else {
      if (sends) AddBoth(Term::kStartup, kSendOverhead, kSendOverheadByte, sent, m, bill);
      if (receives) {
        AddBoth(Term::kStartup, kReceiveOverhead, kReceiveOverheadByte, received, m, bill);
        bill->Add(Term::kStartup, kNotice, received, m);
      }
    }
  }
};

}  // namespace

const Model& Cluster() {
  static const ClusterModel kModel;
  return kModel;
}

}  // namespace cox::model
