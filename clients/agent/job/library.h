// The MPI library that this agent is built for: its label, its own functions found at run time, and
// the local queries (no communication) that sizes need. The agent does not link the library:
// preloaded into a program without MPI (a shell between launcher and program) it must not pull it
// in.
//
// Any thread after LoadLibrary, which MPI_Init's wrapper calls.
#ifndef COX_AGENT_JOB_LIBRARY_H_
#define COX_AGENT_JOB_LIBRARY_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace cox::agent {

// "openmpi-4.1": from the header that the agent is compiled with.
const char* LibraryLabel();

// The next definition of a symbol after the agent's own: another tool's, or the library's. When the
// program loaded MPI privately (Python does), the library's profiling name is looked up in it. Ends
// the process with a message when there is none: the call could not be carried out.
void* NextSymbol(const char* name, const char* profiling_name);

// A symbol that is found at its first use.
template <typename Function>
Function Next(std::atomic<void*>& slot, const char* name, const char* profiling_name) {
  void* symbol = slot.load(std::memory_order_relaxed);
  if (symbol == nullptr) [[unlikely]] {
    symbol = NextSymbol(name, profiling_name);
    slot.store(symbol, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(symbol);
}

struct Library {
  MPI_Comm world;
  int world_size;
  int world_rank;
  int (*comm_size)(MPI_Comm, int*);
  int (*comm_rank)(MPI_Comm, int*);
  int (*comm_test_inter)(MPI_Comm, int*);
  int (*type_size)(MPI_Datatype, MPI_Count*);
  // Predefined handles: with Open MPI they are addresses inside the library.
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
  // What stands for MPI_IN_PLACE and MPI_BOTTOM in Open MPI's Fortran: variables' addresses, under
  // a name for each way in which compilers spell it; null for names that this one does not have.
  // MPICH's Fortran functions pass on C's.
  static constexpr int kFortranNames = 4;
  const void* fortran_in_place[kFortranNames];
  const void* fortran_bottom[kFortranNames];
};
extern constinit Library library;

// Whether a buffer is MPI_IN_PLACE, in C or in Fortran.
inline bool IsInPlace(const void* buffer) {
  if (buffer == MPI_IN_PLACE) return true;
  for (const void* place : library.fortran_in_place) {
    if (place != nullptr && buffer == place) return true;
  }
  return false;
}

// The library's function of that (profiling) name; null when it has none.
void* FindFunction(const char* name);

#ifdef OPEN_MPI
// One of the library's predefined objects; null when it has none of that name. Not the next
// definition but the first: a program that names the object has its own copy of it, and the library
// too uses that one then.
void* FindObject(const char* name);
#endif

template <typename Function>
bool LoadFunction(Function* function, const char* name) {
  *function = reinterpret_cast<Function>(FindFunction(name));
  return *function != nullptr;
}

// The same for the next definition after the agent's own, see NextSymbol.
void* FindNext(const char* name, const char* profiling_name);

template <typename Function>
bool LoadNext(Function* function, const char* name, const char* profiling_name) {
  *function = reinterpret_cast<Function>(FindNext(name, profiling_name));
  return *function != nullptr;
}

// After MPI_Init. False, with a log line, when the library that runs is not the version that the
// agent was built for: sizes of handles and meanings of names could differ.
bool LoadLibrary();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LIBRARY_H_
