// MPI_Init, MPI_Init_thread and MPI_Finalize in C, wrapped: the agent starts and ends in them. Also
// the ends of communicators (while_freed.h).
#include "agent/job/lifecycle.h"

#include <mpi.h>

#include "agent/wrappers/export.h"
#include "agent/wrappers/while_freed.h"

namespace cox::agent {

constinit thread_local MPI_Comm being_freed = {};

extern "C" COX_EXPORT int MPI_Init(int* argc, char*** argv) {
  static std::atomic<void*> next;
  const auto call = Next<int (*)(int*, char***)>(next, "MPI_Init", "PMPI_Init");
  return WithInit([&] { return call(argc, argv); });
}

extern "C" COX_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static std::atomic<void*> next;
  const auto call =
      Next<int (*)(int*, char***, int, int*)>(next, "MPI_Init_thread", "PMPI_Init_thread");
  return WithInit([&] { return call(argc, argv, required, provided); });
}

extern "C" COX_EXPORT int MPI_Finalize() {
  static std::atomic<void*> next;
  const auto call = Next<int (*)()>(next, "MPI_Finalize", "PMPI_Finalize");
  return WithFinalize([&] { return call(); });
}

extern "C" COX_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  static std::atomic<void*> next;
  const auto call = Next<int (*)(MPI_Comm*)>(next, "MPI_Comm_free", "PMPI_Comm_free");
  return WhileFreed(comm != nullptr ? *comm : MPI_Comm{}, [&] { return call(comm); });
}

extern "C" COX_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  static std::atomic<void*> next;
  const auto call = Next<int (*)(MPI_Comm*)>(next, "MPI_Comm_disconnect", "PMPI_Comm_disconnect");
  return WhileFreed(comm != nullptr ? *comm : MPI_Comm{}, [&] { return call(comm); });
}

}  // namespace cox::agent
