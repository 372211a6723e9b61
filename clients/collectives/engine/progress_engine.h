// Makes the operations of this process proceed. Every thread that waits or tests makes all of them
// proceed, one thread at a time; so does the progress thread.
//
// Any thread under MPI_THREAD_MULTIPLE; at lower levels the threads that MPI allows.
#ifndef COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_
#define COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_

#include <memory>

#include "collectives/engine/operation.h"

namespace cox::collectives {

// Begins an operation, which may complete at once.
void Launch(const std::shared_ptr<Operation>& operation);

// Makes all operations proceed once. Returns whether this one is complete.
bool Test(Operation* operation);

// Returns when the operation is complete. Blocks in MPI if it is the only operation and no other
// thread may come; otherwise polls, or sleeps while the progress thread runs.
void Wait(Operation* operation);

// Makes all operations proceed once, without waiting.
void LetProceed();

// The progress thread; see cox_progress_start and cox_progress_stop.
int StartProgressThread();
int StopProgressThread();

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_
