// S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained parallel
// machines. In units, on the Intel Delta: 256 processors, packets of 512 bytes, a set-up of 8
// units, a mean distance that the paper truncates to 10.
#include <cmath>

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

// The paper's one-to-all among p processors of a machine with b and h, per packet of each message
// and without set-ups: p + ceil(p / b) + h.
double DirectPackets(double p, double b, double h) { return p + std::ceil(p / b) + h; }

// A binomial tree of eight stages; stage i's message has share(i) of p L bytes. h of the
// submachines follows the paper's figure: every second cut halves it.
template <typename ShareOf>
double TreePerByte(const std::vector<double>& hops, ShareOf share_of) {
  double units = 0;
  for (size_t stage = 0; stage < hops.size(); ++stage) {
    units += share_of(stage) * (kRanks / kPacketBytes) * (2 + hops[stage]);
  }
  return units;
}
const std::vector<double> kPaperHops = {10, 10, 5, 5, 3, 3, 1, 1};
double Whole(size_t /*stage*/) { return 1; }
double Halved(size_t stage) { return std::ldexp(1, -static_cast<int>(stage) - 1); }

// The cost of one more byte of L by the general path: the strategy's own messages on the
// submachines of a mesh of 16 x 16.
Quantity GeneralPerByte(absl::string_view strategy) {
  const domain::Shape mesh = {Topology::kMesh, {16, 16}};
  const auto units = [&](int64_t block_bytes) {
    return Price("c3", {{"unit_time", 1}, {"s", kSetup}, {"l", kPacketBytes}},
                 ScheduleOf(strategy, kRanks, block_bytes, 1, &mesh));
  };
  return {(units(1024) - units(512)) / 512};
}

double DirectPerByte() { return DirectPackets(256, 16, 10) / kPacketBytes; }
double ThreeLevelPerByte() {
  return (16 * DirectPackets(16, 16, 10) + (4 + 1) * DirectPackets(4, 1, 1)) / kPacketBytes;
}

// Computation units per byte of L: the bytes that the busiest processor touches.
Quantity Touched(double blocks) { return {blocks / kPacketBytes}; }

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
    {"C3-8", [] { return Quantity{DirectPerByte()}; }},
    {"C3-9", [] { return Quantity{TreePerByte(kPaperHops, Whole)}; }},
    {"C3-9b", [] { return GeneralPerByte("scatter/1-lev-our-br"); }},
    // First down a column, then along the rows: two lines of 16, messages of 16 L, then of L.
    {"C3-10", [] { return Quantity{(16 + 1) * DirectPackets(16, 1, 5) / kPacketBytes}; }},
    // To 16 leaders on the whole mesh, then both steps in squares of 4 x 4.
    {"C3-11", [] { return Quantity{ThreeLevelPerByte()}; }},
    {"C3-12", [] { return Quantity{TreePerByte(kPaperHops, Halved)}; }},
    {"C3-12b", [] { return GeneralPerByte("scatter/logp-lev-sq"); }},
    {"C3-13.1-lev-dir", [] { return Touched(1); }},
    {"C3-13.1-lev-our-br", [] { return Touched(256); }},
    {"C3-13.2-lev-rec", [] { return Touched(16); }},
    {"C3-13.3-lev-sq", [] { return Touched(16 + 4); }},
    {"C3-13.logp-lev-sq", [] { return Touched(255); }},
    // 1400 cycles at 40 MHz, in units of 512 bytes at 12.5 MB/s.
    {"C3-14", [] { return Quantity{1400 / 40e6 * 12.5e6 / kPacketBytes}; }},
    // 256 s + 0.55 L = 24 s + 0.93 L, with the units as printed.
    {"C3-15", [] { return Quantity{(256 - 24) * kSetup / (0.93 - 0.55)}; }},
    // The tree's units per byte over those of p L bytes that travel h.
    {"C3-16",
     [] { return Quantity{TreePerByte(kPaperHops, Halved) / (kRanks / kPacketBytes * 10)}; }},
    {"C3-17", [] { return Quantity{model::ComputationUnits(513, kPacketBytes)}; }},
};

}  // namespace

absl::Span<const Computation> C3Computations() { return kComputations; }

}  // namespace cox::golden
