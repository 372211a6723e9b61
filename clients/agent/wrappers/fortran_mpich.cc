// MPICH's Fortran functions that bypass the C wrappers. mpif.h, `use mpi` and most of `use mpi_f08`
// call the C functions (MPI_X), which are wrapped. The mpi_f08 functions without a choice buffer
// call the profiling names (PMPI_X), past every wrapper. The last argument may be absent (null).
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/job/lifecycle.h"
#include "agent/wrappers/collective_call.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/shapes.h"
#include "agent/wrappers/while_freed.h"
#include "domain/collective.h"

namespace cox::agent {

extern "C" COX_EXPORT void mpi_barrier_f08_(const MPI_Fint* comm, MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call =
      Next<void (*)(const MPI_Fint*, MPI_Fint*)>(next, "mpi_barrier_f08_", "pmpir_barrier_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  MPI_Comm c_comm = *comm;
  *error = CallCollective<domain::Collective::kBarrier>(
      c_comm, [] { return 0; }, [&] { return EmptyCall(c_comm); },
      // MPICH selects by variables, never by another communicator (steering/select.h).
      [&] { return call(comm, error), *error; },
      [](const char* /*algorithm*/) { return MPI_ERR_INTERN; }, [](PhaseTime) {});
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

extern "C" COX_EXPORT void mpi_comm_free_f08_(MPI_Fint* comm, MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call =
      Next<void (*)(MPI_Fint*, MPI_Fint*)>(next, "mpi_comm_free_f08_", "pmpir_comm_free_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  *error = WhileFreed(*comm, [&] { return call(comm, error), *error; });
}

extern "C" COX_EXPORT void mpi_comm_disconnect_f08_(MPI_Fint* comm, MPI_Fint* ierror) {
  static std::atomic<void*> next;
  const auto call = Next<void (*)(MPI_Fint*, MPI_Fint*)>(next, "mpi_comm_disconnect_f08_",
                                                         "pmpir_comm_disconnect_f08_");
  MPI_Fint own_error = MPI_SUCCESS;
  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;
  *error = WhileFreed(*comm, [&] { return call(comm, error), *error; });
}

}  // namespace cox::agent
