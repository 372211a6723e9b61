// Keeps the program's error handlers out of a call until the agent has finished with it.
//
// A handler of the program may leave the call by a jump or an exception, on one rank only. That
// rank would skip what the agent does after the call, and the other ranks would wait for it. So
// the guard makes errors on the communicator return, and calls the handler at the very end.
//
// Open MPI reports some errors to the handler of MPI_COMM_WORLD, also for other communicators. The
// handler that the guard sets notes the errors that came to it. The guard passes on only these.
//
// Any thread that may make the call. Under MPI_THREAD_MULTIPLE other threads may be in calls on the
// same communicator. Then MPI calls no handler for their errors either, and a handler that they set
// meanwhile is lost.
#ifndef COX_AGENT_STEERING_ERRHANDLER_GUARD_H_
#define COX_AGENT_STEERING_ERRHANDLER_GUARD_H_

#include <mpi.h>

namespace cox::agent {

// Finds the MPI library's functions; false when one is missing. Call after LoadLibrary.
bool LoadErrhandlers();

// Whether the communicator has an error handler that the program wrote. Local.
bool HasProgramHandler(MPI_Comm comm);

// Makes the errors of a private communicator return, and notes them.
bool NoteErrorsOf(MPI_Comm private_comm);

// Forgets errors noted on this thread, and tells whether there was one.
bool TakeNotedError();

// Guards one call. Construct it before the call; Conclude must be the last step after it.
class ErrhandlerGuard {
 public:
  ErrhandlerGuard() = default;
  ErrhandlerGuard(const ErrhandlerGuard&) = delete;
  ErrhandlerGuard& operator=(const ErrhandlerGuard&) = delete;

  // Replaces a handler that the program wrote by one that returns, so that the call returns.
  // Leaves the predefined handlers, which return or end the job.
  void ReplaceProgramHandler(MPI_Comm comm);
  // Replaces predefined handlers too: an error in the agent's own calls must not end the job.
  void ReplaceAnyHandler(MPI_Comm comm);
  // The call runs on a private communicator whose errors are noted: Conclude calls the handler of
  // `comm` for them.
  void ForwardTo(MPI_Comm comm);
  // libcoxcoll runs the call: Conclude calls the handler of `comm` for all errors, or that of
  // MPI_COMM_WORLD after ReportToWorld.
  void ReportTo(MPI_Comm comm);
  // The MPI library reports the error of this thread's call to MPI_COMM_WORLD.
  static void ReportToWorld();

  // Puts the replaced handler back. Does nothing if none was replaced.
  void Restore();
  // The call has freed the communicator: there is nothing to restore.
  void CommIsGone();
  // Restores, then calls the handler if `result` is an error that it has not seen. Returns
  // `result`, unless the handler leaves.
  int Conclude(int result) {
    if (!is_replaced_ && !forwards_) [[likely]]
      return result;
    return End(result);
  }

 private:
  void Replace(MPI_Comm comm, bool any);
  int End(int result);

  bool is_replaced_ = false;
  bool forwards_ = false;
  bool reports_all_ = false;
  MPI_Comm comm_{};
  MPI_Errhandler handler_{};
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_ERRHANDLER_GUARD_H_
