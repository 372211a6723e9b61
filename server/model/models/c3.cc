// C3: computation, communication and congestion, counted in units of a packet. Seconds only if the
// profile states the time of a unit.
#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "model/models/c3_units.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kUnitTime,
  kComputeUnitTime,
  kSetup,
  kPacket,
  kStoreAndForward,
  kBlocking,
  kCount
};

constexpr ParameterSpec kParameters[kCount] = {
    {"unit_time", domain::Level::kNetwork, "s",
     "time of a communication unit: the packet length over the network's rate; 0: units only",
     false, 0, true},
    {"compute_unit_time", domain::Level::kNetwork, "s",
     "time of a computation unit: the packet length over the memory's rate; 0: units only", false,
     0, true},
    {"s", domain::Level::kNetwork, "units", "set-up of a message", true, 0, true},
    {"l", domain::Level::kNetwork, "byte", "packet length", true, 1, true},
    {"store_and_forward", domain::Level::kNetwork, "0 or 1", "1: packets are stored at every hop",
     false, 0, true},
    {"blocking", domain::Level::kNetwork, "0 or 1",
     "1: a send returns when the message was received", false, 0, true},
};

C3Protocol ProtocolOf(const Values& values, const Phase& phase) {
  const bool blocking = values[kBlocking] > 0 || phase.blocking_sends;
  if (values[kStoreAndForward] > 0) {
    return blocking ? C3Protocol::kStoreForwardBlocking : C3Protocol::kStoreForwardNonblocking;
  }
  return blocking ? C3Protocol::kWormholeBlocking : C3Protocol::kWormholeNonblocking;
}

// ceil(L / l) for messages of equal size: a closed form knows only the sum of the sizes.
double Packets(double count, double bytes, double packet_bytes) {
  return count > 0 ? count * PacketsOf(bytes / count, packet_bytes) : 0;
}

struct Units {
  double setup = 0;      // s, as often as the busiest rank pays it
  double ends = 0;       // max over ranks of S_i + R_i, without the set-up
  double link = 0;       // C_l
  double processor = 0;  // C_p
};

Units CommunicationOf(const Values& values, const Schedule& schedule, const Phase& phase) {
  const OneLevel traffic(phase);
  const Extent& extent = schedule.ExtentOf(phase);
  if (!traffic.any() || extent.processors_count == 1) return {};
  const C3Protocol protocol = ProtocolOf(values, phase);
  const double l = std::max(1.0, values[kPacket]);
  const double h = extent.distance_hops;
  const double sent = Packets(traffic.sends_count, traffic.out_bytes, l);
  const double received = Packets(traffic.receives_count, traffic.in_bytes, l);
  const double longest = PacketsOf(phase.traffic.any.max_message_bytes, l);
  const double s = values[kSetup];
  // Priced with and without the set-up cost, to report the set-up apart.
  const auto send = [&](double setup) {
    return SendUnits(protocol, setup, h, traffic.sends_count, longest, sent);
  };
  const auto receive = [&](double setup) {
    return ReceiveUnits(protocol, setup, h, traffic.receives_count, received);
  };
  Units units;
  const bool sender_is_busier = send(s) >= receive(s);
  if (!traffic.disjoint || sender_is_busier) units.ends += send(0);
  if (!traffic.disjoint || !sender_is_busier) units.ends += receive(0);
  const double both = traffic.disjoint ? std::max(send(s), receive(s)) : send(s) + receive(s);
  units.setup = both - units.ends;

  // Only messages between nodes use links. The pairs of one submachine: its share of all pairs. If
  // some submachines are idle, a busy one has more than that share: at least the pairs of its
  // busiest rank.
  const LevelTraffic& network = phase.traffic.network;
  const double whole = schedule.whole().processors_count;
  const double processors =
      extent.processors_count > 0 ? extent.processors_count : std::max(network.pairs_count, 1.0);
  const double share = whole > processors ? processors / whole : 1;
  if (network.pairs_count > 0) {
    const double busiest = std::max(network.sends_count, network.receives_count);
    const double least = share < 1 ? std::max(1.0, busiest) : 1;
    // In a tree's step each submachine has one pair. Submachines of different sizes cost what the
    // largest one costs, which has the longest message.
    const bool one_each = share < 1 && traffic.disjoint && busiest == 1;
    const double pairs = one_each ? 1 : std::max(least, network.pairs_count * share);
    const double per_pair =
        one_each ? PacketsOf(std::max(network.out_bytes, network.in_bytes), l)
                 : Packets(network.messages_count, network.volume_bytes, l) / network.pairs_count;
    units.link = LinkCongestionUnits(per_pair, pairs, extent.bisection_links);
    units.processor = ProcessorCongestionUnits(per_pair, pairs, processors, h);
  }
  return units;
}

double ComputationOf(const Values& values, const Phase& phase) {
  const LocalWork& work = phase.work;
  const double touched =
      work.touched_bytes > 0 ? work.touched_bytes : work.copied_bytes + work.reduced_bytes;
  return ComputationUnits(touched, std::max(1.0, values[kPacket]));
}

class C3Model final : public ChargedModel<C3Model> {
 public:
  static constexpr ModelCard kCard = {
      "c3",
      "units of a packet: set-ups, packets at the ends, congestion of links and of processors",
      "S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained "
      "parallel machines, section 2, Figure 1",
      "latency, bandwidth, link congestion, processor congestion, imbalance",
      "gap, overlap of computation and communication, which links a pattern uses, levels",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& schedule, const Phase& phase,
                     Bill* bill) {
    AddUnits(CommunicationOf(values, schedule, phase), ComputationOf(values, phase), bill);
  }

  template <class Bill>
  static void AddUnits(const Units& units, double computation, Bill* bill) {
    bill->Add(Term::kStartup, kUnitTime, units.setup);
    bill->Add(Term::kBandwidth, kUnitTime, units.ends);
    bill->Add(Term::kLinkCongestion, kUnitTime, units.link);
    bill->Add(Term::kProcessorCongestion, kUnitTime, units.processor);
    bill->Add(Term::kCompute, kComputeUnitTime, computation);
    bill->AddUnits(units.setup + units.ends + units.link + units.processor + computation);
  }

  std::optional<Cost> PriceListed(const Values& values, const Schedule& schedule,
                                  absl::Span<const Transfer> messages) const override {
    const Phase& phase = schedule[0];
    C3Machine machine{schedule.whole().processors_count, std::max(1.0, values[kPacket]),
                      values[kSetup], schedule.whole().distance_hops,
                      schedule.whole().bisection_links};
    const auto exact = CommunicationUnits(ProtocolOf(values, phase), machine, messages);
    machine.setup_units = 0;
    const auto no_setup = CommunicationUnits(ProtocolOf(values, phase), machine, messages);
    if (!exact.ok() || !no_setup.ok()) return {};
    Units units = CommunicationOf(values, schedule, phase);
    units.ends = no_setup->ends;
    units.setup = exact->ends - no_setup->ends;
    // A list does not say which messages stay in nodes and use no link.
    if (phase.traffic.node.pairs_count == 0) {
      units.link = exact->link_congestion;
      units.processor = exact->processor_congestion;
    }
    PriceBill bill(values);
    bill.Repeat(1);
    AddUnits(units, ComputationOf(values, phase), &bill);
    return bill.cost();
  }

  std::string OwnCaveat(const Values& values, const Schedule& schedule) const override {
    if (!(values[kUnitTime] > 0)) {
      return "no unit_time is stated: counted in units, not in seconds";
    }
    double computation = 0;
    for (const Phase& phase : schedule) computation += phase.times * ComputationOf(values, phase);
    if (!(computation > 0) || values[kComputeUnitTime] > 0) return "";
    return absl::StrCat("no compute_unit_time is stated: the time leaves out ", computation,
                        " units of computation, the units have them");
  }

  bool PricesLinks(const Values& /*values*/) const override { return true; }
};

}  // namespace

const Model& C3() {
  static const C3Model kModel;
  return kModel;
}

}  // namespace cox::model
