// Who sends what to whom when personalised messages are combined on their way through a virtual
// topology: one rank's view of the routing in topology/virtual_topology.h. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_ROUTE_H_
#define COX_COLLECTIVES_CHOICE_ROUTE_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "topology/virtual_topology.h"

namespace cox::collectives {

enum class Routing { kMesh2d, kGrid3d, kHypercube };

// A topology of `ranks` >= 1 ranks. columns: of a mesh, 0 for one as near to a square as can be.
class Topology {
 public:
  Topology(Routing routing, int ranks, int64_t columns = 0);

  int ranks() const { return ranks_; }
  int phases() const;
  // The rank to which a block for `destination` moves from rank `at` in a phase, 0 .. phases() - 1;
  // `at` if it stays.
  int NextHop(int at, int destination, int phase) const;

 private:
  int ranks_;
  std::variant<topology::Mesh2d, topology::Grid3d, topology::Hypercube> shape_;
};

// One rank's part of an exchange in which every rank has a block for every rank, itself included. A
// message holds all blocks that go from one rank to another in a phase, in an order that both know.
// Blocks are in slots: slot d < ranks holds the rank's own block for rank d; a message's blocks go
// to the slots from `first_slot` on, in its order.
struct Route {
  struct Send {
    int peer;
    std::vector<int> slots;  // never empty
  };
  struct Receive {
    int peer;
    int first_slot;
    int count;  // >= 1
  };
  // Peers in the order of their distance from the rank, upwards with wrap-around, so that ranks
  // begin with different peers.
  struct Phase {
    std::vector<Send> sends;
    std::vector<Receive> receives;
  };
  std::vector<Phase> phases;
  int slots = 0;
  std::vector<int> from;  // the slot with each rank's block for this rank
};

// O(ranks^2 x phases) time. 0 <= rank < ranks.
Route MakeRoute(Routing routing, int ranks, int rank, int64_t columns = 0);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_ROUTE_H_
