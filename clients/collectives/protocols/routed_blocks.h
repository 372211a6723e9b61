// All-to-all over a virtual topology for blocks of equal size. Messages hold only blocks, because
// the routing tells both sides which ones. All receives are posted at the start; a rank sends a
// phase's messages when those of the previous phase have arrived.
#ifndef COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_
#define COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_

#include <memory>

#include "collectives/choice/route.h"
#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// The route must outlive the operation; the channel owns it.
std::unique_ptr<Protocol> MakeRoutedBlocks(ExchangeBlocks blocks, const Route& route);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_ROUTED_BLOCKS_H_
