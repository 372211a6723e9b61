// Prices exchanges with the alpha-beta model, from the messages that they really send. A phase
// costs what its busiest rank needs to send or to receive: alpha and beta x bytes per message; with
// a known gap, each message but the first costs the gap instead of alpha. Pure, any thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, section 3.2, which suggests to price the actual pattern.
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

// What each rank sends and receives in the phases of a routing if every rank has a block for every
// other rank.
struct RouteLoads {
  // One direction of one rank.
  struct Load {
    int messages = 0;
    int64_t blocks = 0;
  };
  struct Phase {
    std::vector<Load> sent, received;  // by rank
    std::vector<Load> largest;         // the loads that no other load exceeds in both counts
  };
  std::vector<Phase> phases;
};

// Takes O(ranks^2 x phases) time, and 5 ranks^2 bytes while it runs.
RouteLoads LoadsOf(Routing routing, int ranks);

// Seconds of an exchange of blocks of block_bytes >= 0 between all pairs of ranks; 0 for one rank.
double DirectSeconds(int ranks, double block_bytes, const domain::CostProfile& costs);
double BruckSeconds(int ranks, double block_bytes, const domain::CostProfile& costs);
// Seconds of a routed exchange; each message has head_bytes before its blocks.
double RoutedSeconds(const RouteLoads& loads, double block_bytes, const domain::CostProfile& costs,
                     double head_bytes = 0);

// Seconds of the busiest rank's messages, each sent directly.
double MessagesSeconds(const LargestLoad& largest, const domain::CostProfile& costs);

// Seconds until a direct many-to-many (sparse_exchange.h) knows that no more messages come: the
// acknowledgement of the last synchronous send, and one message per round of the barrier.
double EndOfDirectSeconds(int ranks, const domain::CostProfile& costs);

// Bytes that routed messages of any size carry besides data (routed_messages.h): a record per
// message, and a head per group that travels together.
inline constexpr int kRecordBytes = 16;
inline constexpr int kHeadBytes = 24;

// What a rank sends to another rank. What it sends to itself costs nothing.
struct Transfer {
  int source;
  int destination;
  double bytes;
};

// Seconds of any pattern. Direct: one message per transfer. Routed: every rank sends to all its
// neighbours in the topology, even without data for them; heads and records count. O(transfers x
// phases).
double DirectPatternSeconds(int ranks, std::span<const Transfer> transfers,
                            const domain::CostProfile& costs);
double RoutedPatternSeconds(Routing routing, int ranks, const RouteLoads& loads,
                            std::span<const Transfer> transfers, const domain::CostProfile& costs);

// The library routes by its own choice only up to this many ranks. The choice needs the loads of
// each routing on every rank: 84 MB and some tenths of a second each at this limit.
inline constexpr int kMostRanksToRoute = 4096;

// Input for the choice of an exchange's algorithm. Calls loads_by for at most kMostRanksToRoute
// ranks.
struct ExchangeCosts {
  int ranks;
  const domain::CostProfile& costs;
  std::function<const RouteLoads&(Routing routing)> loads_by;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_COST_H_
