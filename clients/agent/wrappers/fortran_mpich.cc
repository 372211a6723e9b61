// MPICH's Fortran functions that C wrappers do not see. mpif.h, `use mpi` and most of `use mpi_f08`
// end in the C functions (MPI_X), which are wrapped; the mpi_f08 functions without a choice buffer
// end in the profiling names (PMPI_X), past every wrapper. The last argument may be absent (null).
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/job/lifecycle.h"
#include "agent/sampling/synchronise.h"
#include "agent/steering/steering.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"

namespace cox::agent {

extern "C" COX_EXPORT void mpi_barrier_f08_(const MPI_Fint* comm, MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call =
      Next<void (*)(const MPI_Fint*, MPI_Fint*)>(next, "mpi_barrier_f08_", "pmpir_barrier_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  ErrhandlerGuard errhandler;
  Steering steering(
      domain::Collective::kBarrier, *comm, [] { return 0; }, &errhandler);
  Sample sample(
      domain::Collective::kBarrier, [&] { return *comm; }, &errhandler);
  Timing timing;
  call(comm, error);
  const bool is_timed = timing.Stop();
  steering.End();
  if (is_timed && *error == MPI_SUCCESS) {
    timing.Record(domain::Collective::kBarrier, EmptyCall(*comm), steering.number());
  }
  sample.Finish(
      *error == MPI_SUCCESS, [&] { return EmptyCall(*comm); }, steering.number());
  *error = errhandler.Conclude(*error);
}

extern "C" COX_EXPORT void mpi_init_f08_(MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call = Next<void (*)(MPI_Fint*)>(next, "mpi_init_f08_", "pmpir_init_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  WithInit([&] { return call(error), *error; });
}

extern "C" COX_EXPORT void mpi_init_thread_f08_(const MPI_Fint* required, MPI_Fint* provided,
                                                MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call = Next<void (*)(const MPI_Fint*, MPI_Fint*, MPI_Fint*)>(
      next, "mpi_init_thread_f08_", "pmpir_init_thread_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  WithInit([&] { return call(required, provided, error), *error; });
}

extern "C" COX_EXPORT void mpi_finalize_f08_(MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call = Next<void (*)(MPI_Fint*)>(next, "mpi_finalize_f08_", "pmpir_finalize_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  WithFinalize([&] { return call(error), *error; });
}

}  // namespace cox::agent
