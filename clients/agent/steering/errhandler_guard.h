// The program's error handlers in calls that the agent has a part in. A handler of the program's
// own may leave the call by a jump or an exception, on one rank alone: what the agent has still to
// do after the call would not be done there, and the other ranks would wait for it. So while a call
// needs an end, errors on its communicator return, and the handler is called when all is done.
//
// Any thread, as far as MPI lets it be in that call. Under MPI_THREAD_MULTIPLE other threads may be
// in other calls on the same communicator in the middle of it: their errors return as well and no
// handler hears of them, and one that sets the error handler loses what it has set.
#ifndef COX_AGENT_STEERING_ERRHANDLER_GUARD_H_
#define COX_AGENT_STEERING_ERRHANDLER_GUARD_H_

#include <mpi.h>

namespace cox::agent {

// Finds the library's functions; false when it lacks one. After LoadLibrary.
bool LoadErrhandlers();

// One call: constructed before it, concluded after it as the very last thing.
class ErrhandlerGuard {
 public:
  ErrhandlerGuard() = default;
  ErrhandlerGuard(const ErrhandlerGuard&) = delete;
  ErrhandlerGuard& operator=(const ErrhandlerGuard&) = delete;

  // The call must come back: holds a handler of the program's own on `comm` until the end. (The
  // predefined ones return, or end the job.)
  void ReplaceProgramHandler(MPI_Comm comm);
  // The same for whichever handler there is: the agent's own calls end nobody's job.
  void ReplaceAnyHandler(MPI_Comm comm);
  // The call is made on another communicator, whose errors return, in the place of `comm`.
  void ForwardTo(MPI_Comm comm);

  // The handler is back where it was.
  void Restore();
  // The same, and is called for the call's `result` if that is an error that it has not seen.
  // Answers `result`, if it comes back.
  int Conclude(int result) {
    if (!holds_ && !owes_) [[likely]]
      return result;
    return End(result);
  }

 private:
  void Hold(MPI_Comm comm, bool any);
  int End(int result);

  bool holds_ = false;
  bool owes_ = false;
  MPI_Comm comm_{};
  MPI_Errhandler handler_{};
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_ERRHANDLER_GUARD_H_
