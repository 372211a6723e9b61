// Messages of any sizes, combined on their way through a virtual topology: alltoallv and
// many-to-many. What goes from one rank to the next in a phase is one message with a record
// (source, destination, bytes) for each that it carries; it is sent even when it carries none, so
// that receivers know what to wait for. Every rank hears of every other one in this way, and so
// of the largest load, too.
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

// What a rank has for another one, or for itself. The data stay until the operation is complete.
struct Outgoing {
  int destination;
  int64_t bytes;
  const char* data;
};

// What `rank` sends to others.
LargestLoad LoadOf(const std::vector<Outgoing>& messages, int rank);

// How an operation gets its messages, and what it does with those that come. Functions return
// MPI_SUCCESS or an error class by Fail().
class Mail {
 public:
  virtual ~Mail() = default;
  // Called once, before all others.
  virtual int Collect(Operation* operation, std::vector<Outgoing>* messages) = 0;
  // A message for this rank. Messages of one source come in their order. The data stay only during
  // the call.
  virtual int Deliver(Operation* operation, int source, const char* data, int64_t bytes) = 0;
  // What all ranks know when the operation is over: the largest of all. Comes before anything that
  // may fail on one rank alone.
  virtual void Hear(const LargestLoad& /*largest*/) {}
  // All have come.
  virtual int Finish(Operation* operation) = 0;
};

// `route` is that of `topology`, for the operation's rank; it stays until the operation is
// complete: the channel has it.
std::unique_ptr<Protocol> MakeRoutedMessages(std::unique_ptr<Mail> mail, const Topology& topology,
                                             const Route& route);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_ROUTED_MESSAGES_H_
