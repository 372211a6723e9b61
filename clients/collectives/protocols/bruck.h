// All-to-all in ceil(log2 p) steps: in the step of distance d = 1, 2, 4, ... a rank sends all
// blocks that have a way with the bit d before them to the rank d further on. Blocks of equal size.
//
// Source: J. Bruck et al., Efficient algorithms for all-to-all communications in multiport
// message-passing systems, 1997.
#ifndef COX_COLLECTIVES_PROTOCOLS_BRUCK_H_
#define COX_COLLECTIVES_PROTOCOLS_BRUCK_H_

#include <memory>

#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// Both sides have one size for all blocks, and as many of them as there are ranks.
std::unique_ptr<Protocol> MakeBruck(ExchangeBlocks blocks);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_BRUCK_H_
