// The MPI library that this agent is built for: its label, its functions found at run time, and
// local queries of sizes, which need no communication. The agent does not link the library. It may
// be preloaded into a program without MPI, such as a shell between launcher and program.
//
// Any thread after LoadLibrary, which MPI_Init's wrapper calls.
#ifndef COX_AGENT_JOB_LIBRARY_H_
#define COX_AGENT_JOB_LIBRARY_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace cox::agent {

// "openmpi-4.1": from the MPI header that the agent was compiled with.
const char* LibraryLabel();

// The next definition of a symbol after the agent's: another tool's, or the library's. If the
// program loaded MPI privately (Python does), finds the profiling name in that library. Without a
// definition it ends the process with a message: the call cannot be carried out.
void* NextSymbol(const char* name, const char* profiling_name);

// Finds a symbol at its first use.
template <typename Function>
Function Next(std::atomic<void*>& slot, const char* name, const char* profiling_name) {
  void* symbol = slot.load(std::memory_order_relaxed);
  if (symbol == nullptr) [[unlikely]] {
    symbol = NextSymbol(name, profiling_name);
    slot.store(symbol, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(symbol);
}

// Local queries of topologies. The sketches of neighbour collectives need them; without them
// `known` is false.
struct Topologies {
  bool known;
  int (*topo_test)(MPI_Comm, int*);
  int (*cartdim_get)(MPI_Comm, int*);
  int (*cart_shift)(MPI_Comm, int, int, int*, int*);
  int (*graph_neighbors_count)(MPI_Comm, int, int*);
  int (*graph_neighbors)(MPI_Comm, int, int, int*);
  int (*dist_graph_neighbors_count)(MPI_Comm, int*, int*, int*);
  int (*dist_graph_neighbors)(MPI_Comm, int, int*, int*, int, int*, int*);
};

struct Library {
  MPI_Comm world;
  int world_size;
  int world_rank;
  int (*comm_size)(MPI_Comm, int*);
  int (*comm_rank)(MPI_Comm, int*);
  int (*comm_test_inter)(MPI_Comm, int*);
  int (*type_size)(MPI_Datatype, MPI_Count*);
  // Predefined handles. Open MPI's are addresses inside the library.
  MPI_Comm comm_null;
  MPI_Datatype type_null;
  MPI_Datatype byte;
  MPI_Datatype number;  // MPI_DOUBLE
  MPI_Op max;
  MPI_Errhandler errors_return;
  MPI_Errhandler errors_are_fatal;
  // Open MPI's conversions of Fortran handles; null for other libraries, which need none.
  MPI_Comm (*comm_f2c)(MPI_Fint);
  MPI_Datatype (*type_f2c)(MPI_Fint);
  MPI_Op (*op_f2c)(MPI_Fint);
  // Open MPI's Fortran has variables for MPI_IN_PLACE and MPI_BOTTOM; these are their addresses,
  // one for each way in which compilers spell the name, null for missing names. MPICH's Fortran
  // functions pass C's values on.
  static constexpr int kFortranNames = 4;
  const void* fortran_in_place[kFortranNames];
  const void* fortran_bottom[kFortranNames];
  Topologies topologies;
};
extern constinit Library library;

// Writes the bytes of one element. False if the library refuses the type. Never asks about
// MPI_DATATYPE_NULL, which may come with count 0: the query would call the program's error handler.
// Callers do not ask at count 0: the type need not be valid there.
inline bool TypeBytes(MPI_Datatype type, int64_t* bytes) {
  MPI_Count type_bytes = 0;
  if (type == library.type_null || library.type_size(type, &type_bytes) != MPI_SUCCESS) {
    return false;
  }
  *bytes = static_cast<int64_t>(type_bytes);
  return *bytes >= 0;
}

// Whether a buffer is MPI_IN_PLACE, in C or in Fortran.
inline bool IsInPlace(const void* buffer) {
  if (buffer == MPI_IN_PLACE) return true;
  for (const void* place : library.fortran_in_place) {
    if (place != nullptr && buffer == place) return true;
  }
  return false;
}

// The library's function of that (profiling) name; null when it is missing.
void* FindFunction(const char* name);

#ifdef OPEN_MPI
// One of the library's predefined objects; null when it has no such object. The first definition in
// the process: a program that names the object has its own copy, which the library uses too.
void* FindObject(const char* name);
#endif

template <typename Function>
bool LoadFunction(Function* function, const char* name) {
  *function = reinterpret_cast<Function>(FindFunction(name));
  return *function != nullptr;
}

// The next definition after the agent's, see NextSymbol; null when it is missing.
void* FindNext(const char* name, const char* profiling_name);

template <typename Function>
bool LoadNext(Function* function, const char* name, const char* profiling_name) {
  *function = reinterpret_cast<Function>(FindNext(name, profiling_name));
  return *function != nullptr;
}

// Call after MPI_Init. False, with a log line, if another version of the library runs than the
// agent was built for. Handle sizes and the meaning of names could differ.
bool LoadLibrary();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LIBRARY_H_
