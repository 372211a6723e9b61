// The cluster model: a cost function of the packet size for each step of a packet: handed over,
// sent, carried, received, noticed.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"
#include "topology/window_rule.h"

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
      const double ranks = schedule.whole().processors_count;
      const bool is_tree = IsTreeStep(phase, traffic, ranks);
      const double in_event = is_tree && ranks > 0 ? ranks : traffic.pairs_count + 1;
      const double taking_part = ranks > 0 ? std::min(ranks, in_event) : in_event;
      ChargeOnePacket(values, taking_part, packets, bill);
      if (is_tree) {
        ChargeTree(values, phase.times, packets, bill);
      } else {
        ChargeFurther(values, traffic, packets, bill);
      }
      ChargeLoss(values, traffic, taking_part, packets, bill);
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
      if (senders < 1) continue;
      const double each = packets.received / senders;
      const double lossless =
          std::floor(Sum(values, kSendGap, kSendGapByte, packets.bytes) /
                         Sum(values, kReceiveGap, kReceiveGapByte, packets.bytes) +
                     values[kBuffer] / each);
      if (lossless < 1) {
        return "even one sender overruns the switch's buffer: packets are lost and sent again";
      }
      if (senders > lossless) {
        return absl::StrCat(senders, " ranks send to one at once; more than ", lossless,
                            " overrun the switch's buffer: packets are lost and sent again (see "
                            "gather/windowed)");
      }
    }
    return "";
  }

 private:
  // Consecutive steps in which some ranks send one message and others receive one: a tree. With one
  // message in each step it is a relay, from rank to rank; a tree only of three ranks.
  static bool IsTreeStep(const Phase& phase, const OneLevel& traffic, double ranks) {
    return phase.times > 1 && phase.repetitions == Repetitions::kAlike && traffic.disjoint &&
           traffic.sends_count == 1 && traffic.receives_count == 1 &&
           (traffic.pairs_count > 1 || ranks == 3);
  }

  // Eq. (2), the further packets of a broadcast in `rounds` steps: all rounds but one take the
  // sender's gap, and in one the rank receives. All ranks are part of the event.
  template <class Bill>
  static void ChargeTree(const Values& values, double rounds, const Packets& packets, Bill* bill) {
    const double m = packets.bytes;
    const double received = std::max(0.0, packets.received - 1) / rounds;
    const double sent = std::max(0.0, packets.sent - 1) * (rounds - 1) / rounds;
    if (Sum(values, kSendGap, kSendGapByte, m) >=
        Sum(values, kSendOverhead, kSendOverheadByte, m)) {
      AddBoth(Term::kGap, kSendGap, kSendGapByte, sent, m, bill);
    } else {
      AddBoth(Term::kStartup, kSendOverhead, kSendOverheadByte, sent, m, bill);
    }
    AddBoth(Term::kStartup, kReceiveOverhead, kReceiveOverheadByte, received, m, bill);
    bill->Add(Term::kStartup, kNotice, received, m);
  }

  // Packets that a full buffer drops are sent again. Of k packets of x senders, a share of r = D /
  // A
  // + B / k gets through, Eq. (4) with D / A = g_s / (x g_r). The rest, k (1 - D / A) - B, comes
  // again, until all get through: after ln(1 + k D / (A B)) / -ln(1 - D / A) - 1 rounds. Each round
  // costs the sender at least the round trip in which it misses the acknowledgement.
  template <class Bill>
  static void ChargeLoss(const Values& values, const OneLevel& traffic, double taking_part,
                         const Packets& packets, Bill* bill) {
    const double buffer = values[kBuffer];
    const double senders = traffic.receives_count;
    if (!(buffer > 0) || senders <= 1) return;
    const double m = packets.bytes;
    const double send_gap_s = Sum(values, kSendGap, kSendGapByte, m);
    const double receive_gap_s = Sum(values, kReceiveGap, kReceiveGapByte, m);
    const double drained = send_gap_s / (senders * receive_gap_s);
    if (!(drained > 0 && drained < 1) || packets.received * (1 - drained) <= buffer) return;
    const double filled = packets.received / buffer;
    const double kept = std::log1p(filled * drained);
    const double lost = -std::log1p(-drained);
    const double rounds = kept / lost - 1;
    const double trip_s = ChargeTrips(values, 2 * rounds, taking_part, m, bill);
    const double per_round_s = trip_s / rounds;
    const double slope = per_round_s * drained *
                         (filled / (1 + filled * drained) - kept / lost / (1 - drained)) / lost;
    bill->Slope(kSendGap, slope / send_gap_s);
    bill->Slope(kSendGapByte, slope / send_gap_s * m);
    bill->Slope(kReceiveGap, -slope / receive_gap_s);
    bill->Slope(kReceiveGapByte, -slope / receive_gap_s * m);
  }

  // So many trips of a packet over a network that is not overloaded; in all, in seconds.
  template <class Bill>
  static double ChargeTrips(const Values& values, double trips, double taking_part, double m,
                            Bill* bill) {
    constexpr Term kTerm = Term::kLinkCongestion;
    AddBoth(kTerm, kSendOverhead, kSendOverheadByte, trips, m, bill);
    AddBoth(kTerm, kLatency, kLatencyByte, trips, m, bill);
    bill->Add(kTerm, kLatencyProcessor, trips * taking_part, m);
    AddBoth(kTerm, kReceiveOverhead, kReceiveOverheadByte, trips, m, bill);
    bill->Add(kTerm, kNotice, trips, m);
    return trips *
           (Sum(values, kSendOverhead, kSendOverheadByte, m) +
            Sum(values, kLatency, kLatencyByte, m) + values.At(kLatencyProcessor, m) * taking_part +
            Sum(values, kReceiveOverhead, kReceiveOverheadByte, m) + values.At(kNotice, m));
  }

  // O_s + L + O_r + U_r: the time of the first packet.
  template <class Bill>
  static void ChargeOnePacket(const Values& values, double taking_part, const Packets& packets,
                              Bill* bill) {
    const double m = packets.bytes;
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

topology::GatherWindow ClusterWindow(const Values& values, int64_t senders, int64_t block_bytes) {
  const double packet = std::max(1.0, values[kPacket]);
  const auto bytes = static_cast<double>(block_bytes);
  const double m = std::min(packet, bytes);
  const topology::GatherStage stage = {Sum(values, kSendGap, kSendGapByte, m),
                                       Sum(values, kReceiveGap, kReceiveGapByte, m),
                                       values[kBuffer]};
  const auto packets = static_cast<int64_t>(std::max(1.0, RoundUp(bytes / packet)));
  if (!(values[kBuffer] > 0 && stage.send_gap_s > 0 && stage.receive_gap_s > 0)) {
    return {senders, 0, 0, topology::WindowReason::kAllAtOnce};
  }
  return topology::WindowFor(stage, senders, packets);
}

const Model& Cluster() {
  static const ClusterModel kModel;
  return kModel;
}

}  // namespace cox::model
