// Private communicators of the agent, with the same ranks as one of the program's communicators,
// and attributes that the agent attaches to the program's communicators.
//
// A private communicator copies none of the program's attributes. MPI errors are returned, never
// raised. Any thread.
#ifndef COX_AGENT_STEERING_PRIVATE_COMM_H_
#define COX_AGENT_STEERING_PRIVATE_COMM_H_

#include <mpi.h>
#include <stddef.h>

#include <cstdint>

namespace cox::agent {

// Finds the MPI library's functions; false when one is missing. Call after LoadLibrary.
bool LoadPrivateComms();

// Whether all `size` ranks of an intra-communicator belong to this job's MPI_COMM_WORLD. All ranks
// of `comm` get the same answer. Makes local calls only.
bool IsOfThisJob(MPI_Comm comm, int size);

// Writes the maxima of `count` values over all ranks of `comm`, a communicator of the program, to
// `greatest`. Collective: all ranks must be in the same call. False when MPI fails.
bool AskAll(MPI_Comm comm, const double* own, double* greatest, int count);

// The owner of the calls on a private communicator. A tool behind the agent sees the program's
// calls, so it must see the making and freeing of their communicators. It sees none of the agent's
// own.
enum class For : uint8_t { kProgram, kAgent };

// Collective over the ranks of `comm`. All get the same answer: false when any rank has no
// communicator. The ranks that have one leak it then, because freeing it is collective too.
bool MakePrivateComm(For whom, MPI_Comm comm, MPI_Comm* made);
void FreePrivateComm(For whom, MPI_Comm* made);

// Creates a key for attributes of the program's communicators. Duplicates do not inherit them. MPI
// calls `forget` when the communicator is freed, and in MPI_Finalize.
bool CreateAttributeKey(MPI_Comm_delete_attr_function* forget, int* key);
// Null when the communicator has no such attribute, or is not valid.
void* GetAttribute(MPI_Comm comm, int key);
bool SetAttribute(MPI_Comm comm, int key, void* what);
// Attaches `bytes` of zeros from calloc to a valid communicator. Aborts the process without memory:
// the other ranks rely on this one and would wait for ever.
void* SetNewAttribute(MPI_Comm comm, int key, size_t bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_PRIVATE_COMM_H_
