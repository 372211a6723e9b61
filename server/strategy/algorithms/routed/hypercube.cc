#include <algorithm>

#include "strategy/algorithms/routed/routed_alltoall.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

double Blocks(int64_t count) { return static_cast<double>(count); }

// Between guests and their hosts: all blocks from the guest, or all blocks for it.
class WithGuests final : public Exchange {
 public:
  WithGuests(const topology::Hypercube& cube, bool to_guests)
      : cube_(cube), to_guests_(to_guests) {}

  void Sends(int64_t rank, Peers* out) const override { AddIf(to_guests_, rank, out); }
  void Receives(int64_t rank, Peers* out) const override { AddIf(!to_guests_, rank, out); }

  Totals totals() const override {
    return {Blocks(cube_.guests()), Blocks(cube_.guests()) * (Blocks(cube_.ranks) - 1)};
  }
  void Notable(RankList* out) const override {
    out->Add(0);
    out->Add(cube_.corners);
  }

 private:
  // The partner of a host, or of a guest.
  void AddIf(bool of_host, int64_t rank, Peers* out) const {
    const bool is_guest = rank >= cube_.corners;
    if (is_guest == of_host || (of_host && rank >= cube_.guests())) return;
    out->AddOne(is_guest ? cube_.HostOf(rank) : rank + cube_.corners, Blocks(cube_.ranks - 1));
  }

  const topology::Hypercube& cube_;
  bool to_guests_;
};

// One dimension: every corner sends its partner all blocks for the other half.
class AcrossDimension final : public Exchange {
 public:
  AcrossDimension(const topology::Hypercube& cube, int64_t dimension)
      : cube_(cube), bit_(int64_t{1} << dimension) {}

  void Sends(int64_t rank, Peers* out) const override {
    if (rank < cube_.corners) out->AddOne(rank ^ bit_, Carried(rank));
  }
  void Receives(int64_t rank, Peers* out) const override {
    if (rank < cube_.corners) out->AddOne(rank ^ bit_, Carried(rank ^ bit_));
  }

  // Each rank of one half has a block for each rank of the other.
  Totals totals() const override {
    const double lower = Blocks(cube_.corners / 2 + GuestsAtMultiples(0, 2 * bit_, bit_));
    return {Blocks(cube_.corners), 2 * lower * (Blocks(cube_.ranks) - lower)};
  }
  // The first hosts have guests: the largest messages have sources and destinations that begin at
  // 0.
  void Notable(RankList* out) const override {
    out->Add(0);
    out->Add(bit_);
  }

 private:
  // Hosts v below guests() with v mod `cycle` in [from, from + span).
  int64_t GuestsAtMultiples(int64_t from, int64_t cycle, int64_t span) const {
    const int64_t guests = cube_.guests();
    return guests / cycle * span + std::clamp<int64_t>(guests % cycle - from, 0, span);
  }

  // Blocks in the message of a corner: from all ranks with its higher bits to all ranks in the
  // other half with its lower bits.
  double Carried(int64_t corner) const {
    const int64_t first_source = corner & ~(bit_ - 1);
    const int64_t sources = bit_ + std::clamp<int64_t>(cube_.guests() - first_source, 0, bit_);
    const int64_t first_destination = (corner ^ bit_) & (2 * bit_ - 1);
    const int64_t destinations =
        cube_.corners / (2 * bit_) + GuestsAtMultiples(first_destination, 2 * bit_, 1);
    return Blocks(sources) * Blocks(destinations);
  }

  const topology::Hypercube& cube_;
  int64_t bit_;
};

constexpr char kHypercube = 0;  // its address is its name

}  // namespace

void BuildHypercube(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const topology::Hypercube cube(scenario.ranks);
  if (cube.guests() == 0) {
    // All messages have the same size: use the steps with known crossings.
    const double bytes = Blocks(cube.ranks / 2) * static_cast<double>(scenario.block_bytes);
    const Rooted at(scenario, 0);
    Steps steps(schedule);
    for (int64_t distance = 1; distance < cube.ranks; distance *= 2) {
      model::LocalWork work;
      if (distance > 1) work.copied_bytes = work.touched_bytes = bytes;
      steps.Add(RotatedExchange(at, distance), bytes, work);
    }
    return;
  }
  int64_t phase = 0;
  AddRoutedPhase(WithGuests(cube, false), {&kHypercube, phase++}, scenario, true, schedule);
  for (int64_t dimension = 0; dimension < cube.dimensions; ++dimension) {
    AddRoutedPhase(AcrossDimension(cube, dimension), {&kHypercube, phase++}, scenario, false,
                   schedule);
  }
  AddRoutedPhase(WithGuests(cube, true), {&kHypercube, phase}, scenario, false, schedule);
}

void EnumerateHypercube(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const topology::Hypercube cube(scenario.ranks);
  const auto bytes = static_cast<double>(scenario.block_bytes);
  Enumeration out(scenario, sink);
  const auto end_phase = [&] { cube.guests() == 0 ? out.EndStep() : out.EndPhase(); };
  for (int64_t guest = cube.corners; guest < cube.ranks; ++guest) {
    out.Send(guest, cube.HostOf(guest), Blocks(cube.ranks - 1) * bytes);
  }
  if (cube.guests() > 0) end_phase();
  for (int64_t bit = 1; bit < cube.corners; bit *= 2) {
    // Counts ranks by the bits that decide whose blocks pass here: hosts' bits from this one up,
    // and up to this one.
    for (int64_t corner = 0; corner < cube.corners; ++corner) {
      int64_t sources = 0;
      int64_t destinations = 0;
      for (int64_t rank = 0; rank < cube.ranks; ++rank) {
        const int64_t differing = cube.HostOf(rank) ^ corner;
        sources += differing < bit ? 1 : 0;
        destinations += (differing & (2 * bit - 1)) == bit ? 1 : 0;
      }
      out.Send(corner, corner ^ bit, Blocks(sources * destinations) * bytes);
    }
    end_phase();
  }
  for (int64_t guest = cube.corners; guest < cube.ranks; ++guest) {
    out.Send(cube.HostOf(guest), guest, Blocks(cube.ranks - 1) * bytes);
  }
  if (cube.guests() > 0) end_phase();
}

}  // namespace cox::strategy
