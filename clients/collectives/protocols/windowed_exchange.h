// Direct personalised exchange: in step k, 1 .. p - 1, a rank sends to rank + k and receives from
// rank - k. Empty blocks are not sent, because both sides know their size.
#ifndef COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_
#define COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_

#include <cstdint>
#include <memory>

#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// At most `window` sends and as many receives run at once; 0: all.
std::unique_ptr<Protocol> MakeWindowedExchange(ExchangeBlocks blocks, int64_t window);

// A step begins when both messages of the previous step are done.
std::unique_ptr<Protocol> MakePairwiseExchange(ExchangeBlocks blocks);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_
