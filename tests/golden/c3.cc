// S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained parallel
// machines. In units, on the Intel Delta: 256 processors, packets of 512 bytes, a set-up of 8
// units, a mean distance that the paper truncates to 10.
#include <vector>

#include "checks.h"
#include "domain/shape.h"
#include "model/extent.h"
#include "model/models/c3_units.h"
#include "pricing.h"

namespace cox::golden {
namespace {

using domain::Topology;
using model::C3Machine;
using model::C3Protocol;
using model::Transfer;

constexpr int64_t kRanks = 256;
constexpr double kPacketBytes = 512;
constexpr double kSetup = 8;
constexpr C3Machine kDelta = {kRanks, kPacketBytes, kSetup, 10, 16};

double Units(const C3Machine& machine, const std::vector<Transfer>& messages) {
  return model::CommunicationUnits(C3Protocol::kWormholeNonblocking, machine, messages)->Total();
}

C3Machine Machine(Topology topology) {
  const model::Extent extent = model::ExtentOf({topology, {}}, kRanks);
  return {extent.processors_count, kPacketBytes, kSetup, extent.distance_hops,
          extent.bisection_links};
}

Quantity OneToOne(Topology topology) {
  std::vector<Transfer> shift;
  for (int64_t rank = 0; rank < kRanks; ++rank) {
    shift.push_back({rank, (rank + 1) % kRanks, kPacketBytes});
  }
  return {Units(Machine(topology), shift)};
}

Quantity Direct(bool from_one, bool to_one) {
  std::vector<Transfer> messages;
  for (int64_t from = 0; from < (from_one ? 1 : kRanks); ++from) {
    for (int64_t to = 0; to < (to_one ? 1 : kRanks); ++to) {
      if (from != to) messages.push_back({from, to, kPacketBytes});
    }
  }
  return {Units(kDelta, messages)};
}

const std::vector<double> kTwoMessages = {1000, 100};
Quantity Sends(C3Protocol protocol) {
  return {*model::SendUnitsOf(protocol, kDelta, kTwoMessages)};
}
Quantity Receives(C3Protocol protocol) {
  return {*model::ReceiveUnitsOf(protocol, kDelta, kTwoMessages)};
}

// The price of a strategy's own messages on a mesh of 16 x 16: the communication in units, or the
// local work in units.
double OnMesh(absl::string_view strategy, int64_t block_bytes, bool is_work) {
  const domain::Shape mesh = {Topology::kMesh, {16, 16}};
  return Price("c3",
               {{"unit_time", is_work ? 0 : 1},
                {"compute_unit_time", is_work ? 1 : 0},
                {"s", kSetup},
                {"l", kPacketBytes}},
               ScheduleOf(strategy, kRanks, block_bytes, 1, &mesh));
}

// The units of one more byte of L.
Quantity PerByte(absl::string_view strategy, bool is_work) {
  constexpr int64_t kBytes = 1 << 20;
  return {(OnMesh(strategy, 2 * kBytes, is_work) - OnMesh(strategy, kBytes, is_work)) / kBytes};
}
Quantity LinksPerByte(absl::string_view strategy) { return PerByte(strategy, false); }
Quantity WorkPerByte(absl::string_view strategy) { return PerByte(strategy, true); }

// The smallest L from which sending directly costs no more than three levels.
Quantity DirectOvertakesThreeLevels() {
  int64_t bytes = 1;
  while (OnMesh("scatter/linear", bytes, false) > OnMesh("scatter/3-lev-sq", bytes, false)) ++bytes;
  return {static_cast<double>(bytes)};
}

constexpr Computation kComputations[] = {
    {"C3-1", [] { return OneToOne(Topology::kMesh); }},
    {"C3-2", [] { return OneToOne(Topology::kHypercube); }},
    {"C3-3", [] { return OneToOne(Topology::kTree); }},
    {"C3-4", [] { return Direct(true, false); }},
    {"C3-5", [] { return Direct(false, true); }},
    {"C3-6", [] { return Direct(false, false); }},
    {"C3-7.sf_nbs.S", [] { return Sends(C3Protocol::kStoreForwardNonblocking); }},
    {"C3-7.sf_nbs.R", [] { return Receives(C3Protocol::kStoreForwardNonblocking); }},
    {"C3-7.wh_nbs.S", [] { return Sends(C3Protocol::kWormholeNonblocking); }},
    {"C3-7.wh_nbs.R", [] { return Receives(C3Protocol::kWormholeNonblocking); }},
    {"C3-7.sf_bs.S", [] { return Sends(C3Protocol::kStoreForwardBlocking); }},
    {"C3-7.sf_bs.R", [] { return Receives(C3Protocol::kStoreForwardBlocking); }},
    {"C3-7.wh_bs.S", [] { return Sends(C3Protocol::kWormholeBlocking); }},
    {"C3-7.wh_bs.R", [] { return Receives(C3Protocol::kWormholeBlocking); }},
    {"C3-9b", [] { return LinksPerByte("scatter/1-lev-our-br"); }},
    {"C3-12b", [] { return LinksPerByte("scatter/logp-lev-sq"); }},
    {"C3-13.1-lev-dir", [] { return WorkPerByte("scatter/linear"); }},
    {"C3-13.1-lev-our-br", [] { return WorkPerByte("scatter/1-lev-our-br"); }},
    {"C3-13.2-lev-rec", [] { return WorkPerByte("scatter/2-lev-rec"); }},
    {"C3-13.3-lev-sq", [] { return WorkPerByte("scatter/3-lev-sq"); }},
    {"C3-13.logp-lev-sq", [] { return WorkPerByte("scatter/logp-lev-sq"); }},
    {"C3-15", DirectOvertakesThreeLevels},
    {"C3-17", [] { return Quantity{model::ComputationUnits(513, kPacketBytes)}; }},
};

}  // namespace

absl::Span<const Computation> C3Computations() { return kComputations; }

}  // namespace cox::golden
