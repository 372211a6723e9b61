// MPI_Init, MPI_Init_thread and MPI_Finalize in C, wrapped: the agent starts and ends in them.
#include "agent/job/lifecycle.h"

#include <mpi.h>

#include "agent/wrappers/export.h"

namespace cox::agent {

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

}  // namespace cox::agent
