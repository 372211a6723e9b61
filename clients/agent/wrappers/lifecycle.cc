// MPI_Init, MPI_Init_thread and MPI_Finalize in C, wrapped: the agent starts and ends in them. Also
// the ends of communicators: the agent leaves a communicator alone while it is being freed.
#include "agent/job/lifecycle.h"

#include <mpi.h>

#include "agent/timing/recorder.h"
#include "agent/wrappers/export.h"

namespace cox::agent {
namespace {

// Calls that attributes make while MPI deletes them pass on untouched. The agent's own attributes
// may be gone already, and MPICH 4.0 loops for ever over those of a communicator that gets a new
// one meanwhile.
template <typename Call>
int WhileFreed(Call call) {
  ++agent_calls;
  const int result = call();
  --agent_calls;
  return result;
}

}  // namespace

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
  return WhileFreed([&] { return call(comm); });
}

extern "C" COX_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  static std::atomic<void*> next;
  const auto call = Next<int (*)(MPI_Comm*)>(next, "MPI_Comm_disconnect", "PMPI_Comm_disconnect");
  return WhileFreed([&] { return call(comm); });
}

}  // namespace cox::agent
