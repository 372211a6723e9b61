// Many-to-many without detours, where receivers do not know who sends: messages are sent
// synchronously, so that a rank knows when all of its own are being received; when all ranks know
// this of theirs, which a barrier of messages tells, nothing more can come. The barrier's messages
// carry the largest load.
//
// Source: T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse
// data exchange, 2010, algorithm NBX. The barrier is not MPI's: operations that overlap need not
// reach it in the same order on all ranks.
#ifndef COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_
#define COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_

#include <memory>

#include "collectives/engine/operation.h"
#include "collectives/protocols/routed_messages.h"

namespace cox::collectives {

// Sends what `mail` collects, and delivers to it what comes.
std::unique_ptr<Protocol> MakeSparseExchange(std::unique_ptr<Mail> mail);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_SPARSE_EXCHANGE_H_
