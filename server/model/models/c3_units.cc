#include "model/models/c3_units.h"

#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::model {
namespace {

constexpr absl::string_view kNames[kC3ProtocolCount] = {"sf_nbs", "wh_nbs", "sf_bs", "wh_bs"};

absl::Status AtLeast(absl::string_view field, double value, double least) {
  if (std::isfinite(value) && value >= least) return absl::OkStatus();
  return domain::InvalidField(field,
                              absl::StrCat(value, " is not a finite number of at least ", least));
}

absl::Status Validate(const C3Machine& machine) {
  absl::Status status = AtLeast("machine.processors_count", machine.processors_count, 1);
  if (status.ok()) status = AtLeast("machine.packet_bytes", machine.packet_bytes, 1);
  if (status.ok()) status = AtLeast("machine.setup_units", machine.setup_units, 0);
  if (status.ok()) status = AtLeast("machine.distance_hops", machine.distance_hops, 0);
  if (status.ok()) status = AtLeast("machine.bisection_links", machine.bisection_links, 1);
  return status;
}

absl::Status Validate(absl::Span<const Transfer> messages, double processors) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const Transfer& message = messages[i];
    const std::tuple<absl::string_view, int64_t> ends[] = {{"source", message.source},
                                                           {"destination", message.destination}};
    for (const auto& [name, rank] : ends) {
      if (rank >= 0 && static_cast<double>(rank) < processors) continue;
      return domain::InvalidField(absl::StrCat("messages[", i, "].", name),
                                  absl::StrCat(rank, " is not one of ", processors, " processors"));
    }
    if (!std::isfinite(message.bytes) || message.bytes < 0) {
      return domain::InvalidField(absl::StrCat("messages[", i, "].bytes"),
                                  absl::StrCat(message.bytes, " is not a size"));
    }
  }
  return absl::OkStatus();
}

// One side of one processor: how many others, and the packets.
struct Side {
  double messages = 0;
  double max_packets = 0;
  double packets = 0;

  void Add(double more) {
    messages += 1;
    max_packets = std::max(max_packets, more);
    packets += more;
  }
};

absl::StatusOr<Side> SideOf(const C3Machine& machine, absl::Span<const double> sizes) {
  absl::Status status = Validate(machine);
  if (!status.ok()) return status;
  Side side;
  for (size_t i = 0; i < sizes.size(); ++i) {
    status = AtLeast(absl::StrCat("bytes[", i, "]"), sizes[i], 0);
    if (!status.ok()) return status;
    side.Add(PacketsOf(sizes[i], machine.packet_bytes));
  }
  return side;
}

// L_ij: the messages of each pair as one, none to oneself.
std::vector<Transfer> PairsOf(absl::Span<const Transfer> messages) {
  std::vector<Transfer> pairs(messages.begin(), messages.end());
  std::sort(pairs.begin(), pairs.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.source, a.destination) < std::tie(b.source, b.destination);
  });
  size_t count = 0;
  for (const Transfer& message : pairs) {
    if (message.source == message.destination) continue;
    if (count > 0 && pairs[count - 1].source == message.source &&
        pairs[count - 1].destination == message.destination) {
      pairs[count - 1].bytes += message.bytes;
    } else {
      pairs[count++] = message;
    }
  }
  pairs.resize(count);
  return pairs;
}

}  // namespace

absl::string_view C3ProtocolName(C3Protocol protocol) {
  return kNames[static_cast<size_t>(protocol)];
}

absl::StatusOr<C3Protocol> ParseC3Protocol(absl::string_view name) {
  std::string known;
  for (int i = 0; i < kC3ProtocolCount; ++i) {
    if (kNames[i] == name) return static_cast<C3Protocol>(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", kNames[i]);
  }
  return domain::InvalidField("protocol", absl::StrCat("\"", name, "\" is not one of ", known));
}

absl::StatusOr<double> SendUnitsOf(C3Protocol protocol, const C3Machine& machine,
                                   absl::Span<const double> out_bytes) {
  const absl::StatusOr<Side> out = SideOf(machine, out_bytes);
  if (!out.ok()) return out.status();
  return SendUnits(protocol, machine.setup_units, machine.distance_hops, out->messages,
                   out->max_packets, out->packets);
}

absl::StatusOr<double> ReceiveUnitsOf(C3Protocol protocol, const C3Machine& machine,
                                      absl::Span<const double> in_bytes) {
  const absl::StatusOr<Side> in = SideOf(machine, in_bytes);
  if (!in.ok()) return in.status();
  return ReceiveUnits(protocol, machine.setup_units, machine.distance_hops, in->messages,
                      in->packets);
}

absl::StatusOr<C3Units> CommunicationUnits(C3Protocol protocol, const C3Machine& machine,
                                           absl::Span<const Transfer> messages) {
  absl::Status status = Validate(machine);
  if (status.ok()) status = Validate(messages, machine.processors_count);
  if (!status.ok()) return status;
  const std::vector<Transfer> pairs = PairsOf(messages);
  C3Units units;
  if (pairs.empty()) return units;

  struct Ends {
    Side out, in;
  };
  std::unordered_map<int64_t, Ends> processors;
  double packets = 0;
  for (const Transfer& pair : pairs) {
    const double more = PacketsOf(pair.bytes, machine.packet_bytes);
    processors[pair.source].out.Add(more);
    processors[pair.destination].in.Add(more);
    packets += more;
  }
  const double s = machine.setup_units;
  const double h = machine.distance_hops;
  for (const auto& [rank, at] : processors) {
    units.ends = std::max(
        units.ends, SendUnits(protocol, s, h, at.out.messages, at.out.max_packets, at.out.packets) +
                        ReceiveUnits(protocol, s, h, at.in.messages, at.in.packets));
  }
  const auto cong = static_cast<double>(pairs.size());
  const double packets_per_pair = packets / cong;
  units.link_congestion = LinkCongestionUnits(packets_per_pair, cong, machine.bisection_links);
  units.processor_congestion =
      ProcessorCongestionUnits(packets_per_pair, cong, machine.processors_count, h);
  return units;
}

}  // namespace cox::model
