// The parameter types of collectives.def and messages.def in C: with int counts, and with large
// counts (MPI_Bcast_c).
#ifndef COX_AGENT_WRAPPERS_C_TYPES_H_
#define COX_AGENT_WRAPPERS_C_TYPES_H_

#include <mpi.h>

namespace cox::agent {

using InBuffer = const void*;
using OutBuffer = void*;
using Type = MPI_Datatype;
using Types = const MPI_Datatype*;
using Op = MPI_Op;
using Root = int;
using Comm = MPI_Comm;

namespace with_int {
using Count = int;
using Counts = const int*;
using Offsets = const int*;
}  // namespace with_int

#if MPI_VERSION >= 4
namespace with_count {
using Count = MPI_Count;
using Counts = const MPI_Count*;
using Offsets = const MPI_Aint*;
}  // namespace with_count
#endif

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_C_TYPES_H_
