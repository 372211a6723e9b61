// Communicators of the agent's own, with the ranks of one of the program's. The program's
// attributes are not copied, its error handlers not called. Any thread; MPI's errors are answered,
// never raised.
#ifndef COX_AGENT_STEERING_PRIVATE_COMM_H_
#define COX_AGENT_STEERING_PRIVATE_COMM_H_

#include <mpi.h>
#include <stddef.h>

#include <cstdint>

namespace cox::agent {

// Finds the library's functions; false when it lacks one. After LoadLibrary.
bool LoadPrivateComms();

// Whether all `size` ranks of an intra-communicator are of this job. The same answer on all of
// them: those of another job see the others as strangers. Local.
bool IsOfThisJob(MPI_Comm comm, int size);

// The greatest of what all ranks of `comm`, a communicator of the program's, say; `count` values.
// Collective: all ranks have to be in the same call. False where MPI fails.
bool AskAll(MPI_Comm comm, const double* own, double* greatest, int count);

// Whose calls a private communicator is for. Tools that intercept MPI behind the agent see the
// program's calls, whatever communicator these are on, and none of the agent's own: so they see the
// making and freeing of the communicators of the first, and of those only.
enum class For : uint8_t { kProgram, kAgent };

// Collective over the ranks of `comm`. The same answer on all of them: false where one of them has
// not got it. (What others have is left behind then: to free it would be collective, too.)
bool MakePrivateComm(For whom, MPI_Comm comm, MPI_Comm* made);
void FreePrivateComm(For whom, MPI_Comm* made);

// What is known of a communicator is kept with it, as its attribute: a key for that, which no
// duplicate inherits. `forget` is called when the communicator is freed, and at MPI_Finalize.
bool CreateAttributeKey(MPI_Comm_delete_attr_function* forget, int* key);
// Null where nothing was kept, and where there is no such communicator.
void* GetAttribute(MPI_Comm comm, int key);
bool SetAttribute(MPI_Comm comm, int key, void* what);
// Keeps `bytes` of zeros, from calloc, with a communicator that there is. Ends the process when
// there is no memory: the other ranks count on this one, and would wait for ever.
void* SetNewAttribute(MPI_Comm comm, int key, size_t bytes);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_PRIVATE_COMM_H_
