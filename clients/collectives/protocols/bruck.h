// All-to-all in ceil(log2 p) steps for blocks of equal size. In the step of distance d = 1, 2, 4,
// ... a rank sends to rank + d all blocks whose remaining distance has bit d set.
//
// Source: J. Bruck et al., Efficient algorithms for all-to-all communications in multiport
// message-passing systems, 1997.
#ifndef COX_COLLECTIVES_PROTOCOLS_BRUCK_H_
#define COX_COLLECTIVES_PROTOCOLS_BRUCK_H_

#include <memory>

#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// Both sides have one size for all blocks, and one block per rank.
std::unique_ptr<Protocol> MakeBruck(ExchangeBlocks blocks);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_BRUCK_H_
