// The units in which C3 counts a superstep, as formulas: sends and receives of one processor under
// each protocol, congestion, and computation. models/c3.cc turns units into seconds. Pure
// functions, any thread.
//
// Source: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines; computation units: section 2.1, protocols: Figure 1, congestion: section 2.2.
// A unit is the time in which a processor, or the network, moves one packet of l bytes.
#ifndef COX_MODEL_MODELS_C3_UNITS_H_
#define COX_MODEL_MODELS_C3_UNITS_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/models/round_up.h"
#include "model/transfer.h"

namespace cox::model {

// How the network forwards packets, and whether a send waits for its receiver. Receives never
// block.
enum class C3Protocol {
  kStoreForwardNonblocking,
  kWormholeNonblocking,
  kStoreForwardBlocking,
  kWormholeBlocking,
};
inline constexpr int kC3ProtocolCount = 4;

// "sf_nbs", "wh_nbs", "sf_bs", "wh_bs", and back (INVALID_ARGUMENT, field "protocol", listing the
// names).
absl::string_view C3ProtocolName(C3Protocol protocol);
absl::StatusOr<C3Protocol> ParseC3Protocol(absl::string_view name);

// Packets of a message: ceil(L / l). bytes >= 0, packet_bytes > 0.
inline double PacketsOf(double bytes, double packet_bytes) { return RoundUp(bytes / packet_bytes); }

// U_comp of the busiest processor: ceil(t / l) (section 2.1).
inline double ComputationUnits(double touched_bytes, double packet_bytes) {
  return RoundUp(touched_bytes / packet_bytes);
}

// S_i of a processor that sends to `messages` others, `packets` in all and at most `max_packets` to
// one (Figure 1):
//   store-and-forward, nonblocking   s n + h max + out
//   wormhole, nonblocking            s n + h + out
//   store-and-forward, blocking      2 (s + h) n + h out
//   wormhole, blocking               2 (s + h) n + h + out
// 0 if it sends nothing; the lone h is then 0 as well.
inline double SendUnits(C3Protocol protocol, double setup_units, double distance_hops,
                        double messages, double max_packets, double packets) {
  if (messages <= 0) return 0;
  const double both = 2 * (setup_units + distance_hops) * messages;
  switch (protocol) {
    case C3Protocol::kStoreForwardNonblocking:
      return setup_units * messages + distance_hops * max_packets + packets;
    case C3Protocol::kWormholeNonblocking:
      return setup_units * messages + distance_hops + packets;
    case C3Protocol::kStoreForwardBlocking:
      return both + distance_hops * packets;
    case C3Protocol::kWormholeBlocking:
      return both + distance_hops + packets;
  }
  return 0;
}

// R_i of a processor that receives from `messages` others, `packets` in all (Figure 1):
//   nonblocking                      in
//   store-and-forward, blocking      (s + h) n + h in
//   wormhole, blocking               (s + h) n + h + in
// 0 where it receives nothing.
inline double ReceiveUnits(C3Protocol protocol, double setup_units, double distance_hops,
                           double messages, double packets) {
  if (messages <= 0) return 0;
  const double once = (setup_units + distance_hops) * messages;
  switch (protocol) {
    case C3Protocol::kStoreForwardNonblocking:
    case C3Protocol::kWormholeNonblocking:
      return packets;
    case C3Protocol::kStoreForwardBlocking:
      return once + distance_hops * packets;
    case C3Protocol::kWormholeBlocking:
      return once + distance_hops + packets;
  }
  return 0;
}

// C_l: L_a ceil(cong / b), the mean packets of a pair on each link of the bisection, if all pairs
// cross it. packets_per_pair is not rounded.
inline double LinkCongestionUnits(double packets_per_pair, double pairs, double bisection_links) {
  return packets_per_pair * RoundUp(pairs / bisection_links);
}

// C_p: L_a ceil(cong / p) h, the packets that pass through a processor on their way.
inline double ProcessorCongestionUnits(double packets_per_pair, double pairs, double processors,
                                       double distance_hops) {
  return packets_per_pair * RoundUp(pairs / processors) * distance_hops;
}

// A machine as C3 sees it.
struct C3Machine {
  double processors_count = 1;  // p >= 1
  double packet_bytes = 1;      // l >= 1
  double setup_units = 0;       // s >= 0: of one message
  double distance_hops = 0;     // h >= 0: mean distance between two processors
  double bisection_links = 1;   // b >= 1
};

struct C3Units {
  double ends = 0;                  // max over processors of S_i + R_i
  double link_congestion = 0;       // C_l
  double processor_congestion = 0;  // C_p
  double Total() const { return ends + link_congestion + processor_congestion; }
};

// One processor's lists of message sizes, in bytes, one entry per other processor.
absl::StatusOr<double> SendUnitsOf(C3Protocol protocol, const C3Machine& machine,
                                   absl::Span<const double> out_bytes);
absl::StatusOr<double> ReceiveUnitsOf(C3Protocol protocol, const C3Machine& machine,
                                      absl::Span<const double> in_bytes);

// U_comm of a superstep that moves these messages (section 2.2). Several messages of a pair count
// as one of their sum: the paper's L_ij. Messages of a processor to itself cost nothing. O(messages
// log messages).
//
// INVALID_ARGUMENT for a machine out of range (field "machine.<name>"), a processor outside
// 0 .. p - 1 or bytes that are negative or not finite (field "messages[i].<name>").
absl::StatusOr<C3Units> CommunicationUnits(C3Protocol protocol, const C3Machine& machine,
                                           absl::Span<const Transfer> messages);

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_C3_UNITS_H_
