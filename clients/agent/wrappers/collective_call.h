// What every wrapper of a blocking collective does around the call, in any language. Any thread, as
// MPI allows.
//
//   steer      selects the algorithm for this call, see steering.h
//   sample     now and then synchronises the ranks before the call, see synchronise.h
//   run        the MPI library's function, or libcoxcoll's in its place
//   report     the time of the call, see recorder.h, and what it sends, see sketching.h
//   conclude   restores the program's error handler and calls it with the call's error
//
// The order matters: the sample's barrier comes after what steering may have to make, the clock is
// read closest to the call, and the error handler, which may jump out of the call, comes last.
#ifndef COX_AGENT_WRAPPERS_COLLECTIVE_CALL_H_
#define COX_AGENT_WRAPPERS_COLLECTIVE_CALL_H_

#include <mpi.h>

#include "agent/sampling/synchronise.h"
#include "agent/steering/coxcoll.h"
#include "agent/steering/errhandler_guard.h"
#include "agent/steering/steering.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/shapes.h"
#include "agent/wrappers/sketching.h"
#include "agent/wrappers/while_freed.h"
#include "domain/collective.h"

namespace cox::agent {

// A call on a communicator that is being freed only runs, see while_freed.h.
//
// One call. `comm` is the wrapper's own parameter: while the call runs it names the communicator to
// run on, which the steps below read. The steps are functions without arguments:
//   to_bytes     the block's bytes for steering, -1: leave the call to the library
//   to_shape     what is reported of the call
//   run_library  calls the MPI library
//   run_coxcoll  calls libcoxcoll, with the name of the algorithm
//   sketch       tells the sketches what the call sent, with its time
// Both run_... answer an MPI error code. So does this function.
template <domain::Collective kCollective, typename Comm, typename ToBytes, typename ToShape,
          typename RunLibrary, typename RunCoxcoll, typename Sketch>
int CallCollective(Comm& comm, ToBytes to_bytes, ToShape to_shape, RunLibrary run_library,
                   RunCoxcoll run_coxcoll, Sketch sketch) {
  if (agent_calls == 0) message_phase.EndByCall();
  if (IsBeingFreed([&] { return ToComm(comm); })) [[unlikely]]
    return run_library();
  const Comm programs_comm = comm;
  ErrhandlerGuard errhandler;
  Steering steering(kCollective, comm, to_bytes, &errhandler);
  Sample sample(
      kCollective, [&] { return ToComm(comm); }, &errhandler);

  comm = steering.On(comm);
  Timing timing(steering.is_waiting());
  const bool uses_coxcoll = CanBeReplaced(kCollective) && steering.coxcoll_algorithm() != nullptr;
  const int result = uses_coxcoll ? run_coxcoll(steering.coxcoll_algorithm()) : run_library();
  const bool is_timed = timing.Stop();
  comm = programs_comm;

  steering.End(timing.time_ns());
  if (is_timed && result == MPI_SUCCESS) {
    const Shape shape = to_shape();
    timing.Record(kCollective, shape, steering.number(), steering.origin());
    if (steering.is_guarded() && shape.verdict == Shape::kRecord) [[unlikely]]
      steering.Learn(timing.time_ns());
    sketch(timing.phase_time());
  }
  sample.Finish(result == MPI_SUCCESS, to_shape, steering.number());
  return errhandler.Conclude(result);
}

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_COLLECTIVE_CALL_H_
