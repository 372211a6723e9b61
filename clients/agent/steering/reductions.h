// Which reductions may run under another algorithm: predefined operations on predefined types. All
// predefined operations commute; of a user's operation that is not known, and some algorithms give
// wrong results if it does not. Another order of additions changes floating-point rounding, and
// with Open MPI sums of 8- and 16-bit integers.
//
// MPI requires the same type and operation on all ranks, so all ranks get the same answer. Call
// LoadReductions once, in MPI_Init; the rest on any thread, without an MPI call; cannot fail.
#ifndef COX_AGENT_STEERING_REDUCTIONS_H_
#define COX_AGENT_STEERING_REDUCTIONS_H_

#include <mpi.h>

#include <cstdint>

namespace cox::agent {

enum class Reduction : uint8_t {
  kUnknown,  // must not be steered
  kExact,    // same result in any order, to the last bit
  kNarrow,   // of types only: see predefined.def
  kRounded,  // the order changes the result
};

void LoadReductions();
Reduction ReductionOf(MPI_Datatype type, MPI_Op op);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_REDUCTIONS_H_
