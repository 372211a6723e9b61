// What exchanges cost by the alpha-beta model, from the messages that they really have: the sum
// over phases of the largest messages x alpha + bytes x beta of any rank, sent or received. Where
// the machine's gap is known the messages of a phase but one cost that instead of alpha. Pure, any
// thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, section 3.2, which suggests to price the pattern that there is.
#ifndef COX_COLLECTIVES_CHOICE_COST_H_
#define COX_COLLECTIVES_CHOICE_COST_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collectives/choice/largest_load.h"
#include "collectives/choice/route.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// What ranks send and receive in the phases of a routing when every rank has a block for every
// other one.
struct RouteLoads {
  // One direction of one rank.
  struct Load {
    int messages = 0;
    int64_t blocks = 0;
  };
  struct Phase {
    std::vector<Load> sent, received;  // by rank
    std::vector<Load> largest;         // those that no other one is larger than in both
  };
  std::vector<Phase> phases;
};

// O(ranks^2 x phases) time; 5 ranks^2 bytes meanwhile.
RouteLoads LoadsOf(Routing routing, int ranks);

// Seconds of an exchange of blocks of block_bytes >= 0 between all pairs of ranks; 0 for one rank.
double DirectSeconds(int ranks, double block_bytes, const domain::CostProfile& costs);
double BruckSeconds(int ranks, double block_bytes, const domain::CostProfile& costs);
// Routed with head_bytes before all blocks of a message.
double RoutedSeconds(const RouteLoads& loads, double block_bytes, const domain::CostProfile& costs,
                     double head_bytes = 0);

// Seconds of the messages of the busiest rank, sent as they are.
double MessagesSeconds(const LargestLoad& largest, const domain::CostProfile& costs);

// Seconds that a direct many-to-many (sparse_exchange.h) takes to know that nothing more comes: the
// word back that the last message is being received, and a message in each round of the barrier.
double EndOfDirectSeconds(int ranks, const domain::CostProfile& costs);

// Routed messages of any sizes (routed_messages.h): what each has before it, whose it is, and what
// is before all that travel together.
inline constexpr int kRecordBytes = 16;
inline constexpr int kHeadBytes = 24;

// What a rank sends to another one; what it sends to itself costs nothing.
struct Transfer {
  int source;
  int destination;
  double bytes;
};

// Seconds of any pattern. Direct: a message for each transfer. Routed: every rank sends to all its
// neighbours in the topology, whether it has something for them or not; heads and records count.
// O(transfers x phases).
double DirectPatternSeconds(int ranks, std::span<const Transfer> transfers,
                            const domain::CostProfile& costs);
double RoutedPatternSeconds(Routing routing, int ranks, const RouteLoads& loads,
                            std::span<const Transfer> transfers, const domain::CostProfile& costs);

// Where nobody says how, nothing is routed by more ranks than that: their loads, which the choice
// would need on every rank, take 84 MB and some tenths of a second each with so many.
inline constexpr int kMostRanksToRoute = 4096;

// What an exchange is chosen by. loads_by is called for at most kMostRanksToRoute ranks.
struct ExchangeCosts {
  int ranks;
  const domain::CostProfile& costs;
  std::function<const RouteLoads&(Routing routing)> loads_by;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_COST_H_
