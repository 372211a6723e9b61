// Messages of any size, combined on their way through a virtual topology, for alltoallv and
// many-to-many. In a phase a rank sends each neighbour one message, with a record (source,
// destination, bytes) for each message inside. It sends even empty ones, so that receivers know
// what to wait for. So every rank hears from every other rank, and learns the largest load.
#ifndef COX_COLLECTIVES_PROTOCOLS_ROUTED_MESSAGES_H_
#define COX_COLLECTIVES_PROTOCOLS_ROUTED_MESSAGES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/choice/largest_load.h"
#include "collectives/choice/route.h"
#include "collectives/engine/operation.h"

namespace cox::collectives {

// What a rank has for another rank or for itself. The data must stay valid until the operation is
// complete.
struct Outgoing {
  int destination;
  int64_t bytes;
  const char* data;
};

// The load of what `rank` sends to other ranks.
LargestLoad LoadOf(const std::vector<Outgoing>& messages, int rank);

// Where an operation gets its messages from and delivers arriving ones to. Functions return
// MPI_SUCCESS or an error class through Fail().
class Mail {
 public:
  virtual ~Mail() = default;
  // Called once, before the other functions.
  virtual int Collect(Operation* operation, std::vector<Outgoing>* messages) = 0;
  // A message for this rank. Messages of one source come in their order. The data are valid only
  // during the call.
  virtual int Deliver(Operation* operation, int source, const char* data, int64_t bytes) = 0;
  // The largest load of all ranks. Called before anything that may fail on one rank alone.
  virtual void Hear(const LargestLoad& /*largest*/) {}
  // All messages have come.
  virtual int Finish(Operation* operation) = 0;
};

// `route` belongs to `topology` and the operation's rank. It must outlive the operation; the
// channel owns it.
std::unique_ptr<Protocol> MakeRoutedMessages(std::unique_ptr<Mail> mail, const Topology& topology,
                                             const Route& route);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_ROUTED_MESSAGES_H_
