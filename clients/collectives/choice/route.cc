#include "collectives/choice/route.h"

#include <map>
#include <utility>

namespace cox::collectives {
namespace {

using Shape = std::variant<topology::Mesh2d, topology::Grid3d, topology::Hypercube>;

Shape MakeShape(Routing routing, int ranks, int64_t columns) {
  switch (routing) {
    case Routing::kMesh2d:
      break;
    case Routing::kGrid3d:
      return topology::Grid3d(ranks);
    case Routing::kHypercube:
      return topology::Hypercube(ranks);
  }
  return topology::Mesh2d(ranks, columns);
}

int PhasesOf(const topology::Mesh2d&) { return topology::Mesh2d::kPhases; }
int PhasesOf(const topology::Grid3d&) { return topology::Grid3d::kPhases; }
int PhasesOf(const topology::Hypercube& cube) { return static_cast<int>(cube.phases()); }

// What one rank sends and receives, without sizes.
class Drawing {
 public:
  Drawing(const Topology& topology, int rank)
      : topology_(topology),
        rank_(rank),
        sends_(static_cast<size_t>(topology.phases())),
        receives_(static_cast<size_t>(topology.phases())),
        from_(static_cast<size_t>(topology.ranks())) {}

  // Both ends of a message call this in the same order, so they agree on the order of its blocks.
  void Follow(int source, int destination) {
    int at = source;
    int arrival = destination;  // for blocks of other ranks: the number of their arrival here
    for (int phase = 0; phase < topology_.phases(); ++phase) {
      const int next = topology_.NextHop(at, destination, phase);
      if (next != at && at == rank_) {
        sends_[static_cast<size_t>(phase)][DistanceTo(next)].push_back(arrival);
      } else if (next != at && next == rank_) {
        arrival = topology_.ranks() + arrivals_++;
        receives_[static_cast<size_t>(phase)][DistanceTo(at)].push_back(arrival);
      }
      at = next;
    }
    if (destination == rank_) from_[static_cast<size_t>(source)] = arrival;
  }

  Route Finish() const {
    std::vector<int> slot_of(static_cast<size_t>(topology_.ranks() + arrivals_));
    Route route;
    while (route.slots < topology_.ranks()) {
      slot_of[static_cast<size_t>(route.slots)] = route.slots;
      ++route.slots;
    }
    for (size_t phase = 0; phase < sends_.size(); ++phase) {
      Route::Phase& made = route.phases.emplace_back();
      for (const auto& [distance, arrivals] : receives_[phase]) {
        made.receives.push_back({PeerAt(distance), route.slots, static_cast<int>(arrivals.size())});
        for (const int arrival : arrivals) slot_of[static_cast<size_t>(arrival)] = route.slots++;
      }
      for (const auto& [distance, arrivals] : sends_[phase]) {
        made.sends.push_back({PeerAt(distance), Slots(arrivals, slot_of)});
      }
    }
    route.from = Slots(from_, slot_of);
    return route;
  }

 private:
  int DistanceTo(int peer) const { return (peer - rank_ + topology_.ranks()) % topology_.ranks(); }
  int PeerAt(int distance) const { return (rank_ + distance) % topology_.ranks(); }

  static std::vector<int> Slots(const std::vector<int>& arrivals, const std::vector<int>& slot_of) {
    std::vector<int> slots;
    slots.reserve(arrivals.size());
    for (const int arrival : arrivals) slots.push_back(slot_of[static_cast<size_t>(arrival)]);
    return slots;
  }

  using Blocks = std::map<int, std::vector<int>>;  // distance of the peer -> arrivals

  const Topology& topology_;
  const int rank_;
  std::vector<Blocks> sends_;  // by phase
  std::vector<Blocks> receives_;
  std::vector<int> from_;
  int arrivals_ = 0;
};

}  // namespace

Topology::Topology(Routing routing, int ranks, int64_t columns)
    : ranks_(ranks), shape_(MakeShape(routing, ranks, columns)) {}

int Topology::phases() const {
  return std::visit([](const auto& shape) { return PhasesOf(shape); }, shape_);
}

int Topology::NextHop(int at, int destination, int phase) const {
  return std::visit(
      [&](const auto& shape) { return static_cast<int>(shape.NextHop(at, destination, phase)); },
      shape_);
}

Route MakeRoute(Routing routing, int ranks, int rank, int64_t columns) {
  const Topology topology(routing, ranks, columns);
  Drawing drawing(topology, rank);
  for (int destination = 0; destination < ranks; ++destination) {
    for (int source = 0; source < ranks; ++source) drawing.Follow(source, destination);
  }
  return drawing.Finish();
}

}  // namespace cox::collectives
