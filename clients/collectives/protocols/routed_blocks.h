// All-to-all over a virtual topology, blocks of equal size: messages have nothing but blocks,
// because the routing tells both sides which. All receives are posted at the start; a phase's
// messages are sent when those of the phase before have come.
#ifndef COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_
#define COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_

#include <memory>

#include "collectives/choice/route.h"
#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// The route stays until the operation is complete: the channel has it.
std::unique_ptr<Protocol> MakeRoutedBlocks(ExchangeBlocks blocks, const Route& route);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_
