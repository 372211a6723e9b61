// What the wrappers of MPI_Init and MPI_Finalize do, in every language. A wrapper may end in
// another one (MPICH's Fortran functions end in the C ones): the second time does nothing.
#ifndef COX_AGENT_JOB_LIFECYCLE_H_
#define COX_AGENT_JOB_LIFECYCLE_H_

#include "agent/job/library.h"
#include "agent/job/process.h"
#include "agent/job/start_together.h"
#include "agent/sampling/synchronise.h"
#include "agent/steering/steering.h"
#include "agent/wrappers/sketching.h"

namespace cox::agent {

// `call` runs the library's function and returns its error code.
template <typename Call>
int WithInit(Call call) {
  BeforeInit(LibraryLabel());
  const int result = call();
  if (result == MPI_SUCCESS && WantsToRun() && LoadLibrary()) {
    if (library.world_rank == 0) WarnOfSettings();
    // Before AfterInit, which may fail on one rank: all ranks take part or none.
    StartTogether();
    AfterInit(library.world_size);
  }
  return result;
}

template <typename Call>
int WithFinalize(Call call) {
  message_phase.EndByCall();
  BeforeFinalize();
  EndSteering();
  EndSynchronising();
  const int result = call();
  AfterFinalize();
  return result;
}

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LIFECYCLE_H_
