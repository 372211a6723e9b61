// Finds the MPI library's own error for the arguments of a call that libcoxcoll runs in its place.
// So the program gets the same errors as without the agent.
//
// Cheap local tests find arguments that may be wrong. For those the library itself decides: it gets
// the same arguments on a communicator of this rank alone, whose errors return. If it takes them,
// it has copied this rank's own block, which the call does anyway. So nothing here repeats what a
// version of the library checks.
//
// Below MPI_THREAD_MULTIPLE only. No communication with other ranks.
#ifndef COX_AGENT_STEERING_REFUSALS_H_
#define COX_AGENT_STEERING_REFUSALS_H_

#include <mpi.h>

#include <cstdint>

#include "agent/job/library.h"

namespace cox::agent {

// One side of a call, with C's handles.
struct Elements {
  void* buffer;
  int64_t count;  // fits an int if IsReplaceable(), see coxcoll.h
  MPI_Datatype type;
};
inline Elements NoElements() { return {nullptr, 0, library.type_null}; }

// Call once, in MPI_Init, after LoadPrivateComms. False when MPI refuses.
bool LoadRefusals();

// The library's error code; MPI_SUCCESS: it takes the arguments. Pass NoElements() for a side that
// is not significant on this rank. A buffer may be MPI_IN_PLACE.
int RefusalOfAlltoall(const Elements& send, const Elements& receive);
int RefusalOfBcast(const Elements& data, int root, MPI_Comm comm);
int RefusalOfGather(const Elements& send, const Elements& receive, int root, MPI_Comm comm);
int RefusalOfScatter(const Elements& send, const Elements& receive, int root, MPI_Comm comm);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_REFUSALS_H_
