// The trees of bcast by name, and one rank's part of them. Pure, any thread. topology/near_tree.h
// and topology/postal_tree.h compute the trees.
#ifndef COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_
#define COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/choice/algorithm_name.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// The rank that a rank receives from (-1 for the root), and those that it sends to, in this order.
struct BroadcastPeers {
  int parent = -1;
  std::vector<int> children;
};

// binomial; postal?latency=L, where L is 1 if it is not stated.
std::span<const AlgorithmRow> BroadcastRows();

// choice: from one of the rows. 0 <= rank, root < ranks.
BroadcastPeers PeersOf(const AlgorithmChoice& choice, int ranks, int root, int rank);

// Chooses by a message's latency in sending times: (alpha + bytes x beta) divided by the time
// before the sender can send the next message. That time is the largest of the gap, the processor's
// share and the bytes' time on the wire. The quotient is rounded, at least 1, and 1 if neither gap
// nor processor's share is known. For 1 the best tree is binomial.
AlgorithmChoice ChooseBroadcast(double bytes, const domain::CostProfile& costs);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_
