// Communicators of the agent's own, with the ranks of one of the program's. The program's
// attributes are not copied, its error handlers not called. Any thread; MPI's errors are answered,
// never raised.
#ifndef COX_AGENT_PRIVATE_COMM_H_
#define COX_AGENT_PRIVATE_COMM_H_

#include <mpi.h>

namespace cox::agent {

// Finds the library's functions; false when it lacks one. After LoadLibrary.
bool LoadPrivateComms();

// Whether all `size` ranks of an intra-communicator are of this job. The same answer on all of
// them: those of another job see the others as strangers. Local.
bool IsOfThisJob(MPI_Comm comm, int size);

// Collective over the ranks of `comm`.
bool MakePrivateComm(MPI_Comm comm, MPI_Comm* made);
void FreePrivateComm(MPI_Comm* made);

// What is known of a communicator is kept with it, as its attribute: a key for that, which no
// duplicate inherits. `forget` is called when the communicator is freed, and at MPI_Finalize.
bool CreateKey(MPI_Comm_delete_attr_function* forget, int* key);
// Null where nothing was kept, and where there is no such communicator.
void* Kept(MPI_Comm comm, int key);
bool Keep(MPI_Comm comm, int key, void* what);

}  // namespace cox::agent

#endif  // COX_AGENT_PRIVATE_COMM_H_
