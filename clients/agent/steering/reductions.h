// Which reductions may run under another algorithm: predefined operations, which all commute, on
// predefined types. Elsewhere nothing is known of the operation, and some algorithms compute
// wrongly what does not commute. Another order of adding up changes the rounding of floating-point
// numbers.
//
// MPI wants the same type and operation on all ranks, so these are the same answers on all of them.
// LoadReductions once, in MPI_Init; the rest on any thread, without an MPI call; cannot fail.
#ifndef COX_AGENT_STEERING_REDUCTIONS_H_
#define COX_AGENT_STEERING_REDUCTIONS_H_

#include <mpi.h>

#include <cstdint>

namespace cox::agent {

enum class Reduction : uint8_t {
  kUnknown,  // not to be steered
  kExact,    // the same to the last bit in any order
  kRounded,  // not the same
};

void LoadReductions();
Reduction ReductionOf(MPI_Datatype type, MPI_Op op);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_REDUCTIONS_H_
