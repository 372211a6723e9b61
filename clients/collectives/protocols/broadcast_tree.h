// The trees of bcast by name, and one rank's part of them. Pure, any thread. The trees themselves
// are the server's (topology/near_tree.h, topology/postal_tree.h).
#ifndef COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_
#define COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/choice/algorithm_name.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// Whom a rank has the message from (-1 for the root), and to whom it sends it, in this order.
struct BroadcastPeers {
  int parent = -1;
  std::vector<int> children;
};

// binomial; postal?latency=L, 1 if it is not stated.
std::span<const AlgorithmRow> BroadcastRows();

// choice: of one of the rows. 0 <= rank, root < ranks.
BroadcastPeers PeersOf(const AlgorithmChoice& choice, int ranks, int root, int rank);

// The latency, in sending times, of a message: (alpha + bytes beta) over what keeps its sender from
// the next one: the gap, the processor's part of it or the bytes' time on the wire, whichever is
// longest; rounded, at least 1; 1 where neither gap nor processor's part is known. Where it is 1
// the best tree is binomial, and that is what is chosen.
AlgorithmChoice ChooseBroadcast(double bytes, const domain::CostProfile& costs);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_BROADCAST_TREE_H_
