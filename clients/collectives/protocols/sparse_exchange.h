// Direct many-to-many whose receivers do not know the senders. Ranks send synchronously, so each
// knows when its messages are being received. A barrier of messages then tells all ranks that no
// more messages come. The barrier's messages also carry the largest load.
//
// Source: T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse
// data exchange, 2010, algorithm NBX. It does not use MPI's barrier, because overlapping operations
// may reach it in different orders on different ranks.
#ifndef COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_
#define COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_

#include <memory>

#include "collectives/engine/operation.h"
#include "collectives/protocols/routed_messages.h"

namespace cox::collectives {

// Sends what `mail` collects, and delivers to it what arrives.
std::unique_ptr<Protocol> MakeSparseExchange(std::unique_ptr<Mail> mail);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_
