// The protocol of a broadcast: each rank that has the whole message sends it to its children.
#ifndef COX_COLLECTIVES_PROTOCOLS_BROADCAST_H_
#define COX_COLLECTIVES_PROTOCOLS_BROADCAST_H_

#include <cstdint>
#include <memory>

#include "collectives/engine/operation.h"
#include "collectives/engine/packing.h"
#include "collectives/protocols/broadcast_tree.h"

namespace cox::collectives {

// `count` elements in `buffer`; equally many bytes on all ranks.
std::unique_ptr<Protocol> MakeBroadcast(BroadcastPeers peers, void* buffer, int64_t count,
                                        const Datatype& datatype);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_BROADCAST_H_
