// Personalised exchange without detours: in step k, 1 .. p - 1, a rank sends to the rank k further
// on and receives from the rank k further back. For blocks of no bytes nothing is sent: both sides
// know.
#ifndef COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_
#define COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_

#include <cstdint>
#include <memory>

#include "collectives/engine/blocks.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// At most `window` sends and as many receives under way; 0: all.
std::unique_ptr<Protocol> MakeWindowedExchange(ExchangeBlocks blocks, int64_t window);

// A step begins when both messages of the step before are done.
std::unique_ptr<Protocol> MakePairwiseExchange(ExchangeBlocks blocks);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_WINDOWED_EXCHANGE_H_
