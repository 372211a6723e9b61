// What the wrappers of MPI_Comm_free and MPI_Comm_disconnect do around the call, in any language.
//
// Attributes may call MPI while the library deletes them. Calls on the communicator that is being
// freed pass on untouched (collective_call.h): the agent's own attributes may be gone already, and
// MPICH 4.0 loops for ever over those of a communicator that gets a new one meanwhile.
//
// A callback of an attribute may leave the call by a jump or an exception. So the agent remembers
// the communicator, not that a call is under way: calls on others stay as they are on all ranks.
#ifndef COX_AGENT_WRAPPERS_WHILE_FREED_H_
#define COX_AGENT_WRAPPERS_WHILE_FREED_H_

#include <mpi.h>

#include "agent/job/library.h"
#include "agent/sampling/synchronise.h"
#include "agent/steering/errhandler_guard.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/sketching.h"

namespace cox::agent {

// The communicator that this thread is freeing; MPI_Comm{}: none. After a callback has left the
// call it stays until the thread frees that communicator.
extern constinit thread_local MPI_Comm being_freed;

// Whether `comm` is being freed. Calls `to_comm` only if a communicator is.
template <typename ToComm>
bool IsBeingFreed(ToComm to_comm) {
  return being_freed != MPI_Comm{} && to_comm() == being_freed;
}

// Whether an error handler of the program must not leave the call: the ranks would no longer agree
// on which communicator is being freed.
inline bool MustReturn(MPI_Comm comm) {
  const bool agrees =
      applying.load(std::memory_order_acquire) || synchronising.load(std::memory_order_acquire);
  return agrees && agent_calls == 0 && comm != library.comm_null && comm != MPI_Comm{};
}

// `call` runs the library's function on `comm` and returns its error code.
template <typename Call>
int WhileFreed(MPI_Comm comm, Call call) {
  if (library.world_size == 0) return call();  // the agent is off, and knows no functions of MPI
  // Another communicator may get the same handle.
  if (agent_calls == 0) message_phase.EndByFree(comm);
  ErrhandlerGuard errhandler;
  if (MustReturn(comm)) errhandler.ReplaceProgramHandler(comm);
  const MPI_Comm outer = being_freed != comm ? being_freed : MPI_Comm{};
  being_freed = comm;
  const int result = call();
  being_freed = outer;
  if (result == MPI_SUCCESS) errhandler.CommIsGone();
  return errhandler.Conclude(result);
}

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_WHILE_FREED_H_
