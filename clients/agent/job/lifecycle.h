// What MPI_Init and MPI_Finalize are wrapped in, whatever the language. A wrapper that ends in
// another one (MPICH's Fortran functions end in the C ones) does no harm: the second time nothing
// happens.
#ifndef COX_AGENT_JOB_LIFECYCLE_H_
#define COX_AGENT_JOB_LIFECYCLE_H_

#include "agent/job/library.h"
#include "agent/job/process.h"
#include "agent/sampling/synchronise.h"
#include "agent/sampling/together.h"
#include "agent/steering/steering.h"

namespace cox::agent {

// `call` runs the library's function and answers its error code.
template <typename Call>
int WithInit(Call call) {
  BeforeInit(LibraryLabel());
  const int result = call();
  if (result == MPI_SUCCESS && WantsToRun() && LoadLibrary()) {
    // Not only where this rank's table can be had: all ranks or none.
    StartTogether();
    AfterInit(library.world_size);
  }
  return result;
}

template <typename Call>
int WithFinalize(Call call) {
  BeforeFinalize();
  EndSteering();
  EndSynchronising();
  const int result = call();
  AfterFinalize();
  return result;
}

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LIFECYCLE_H_
