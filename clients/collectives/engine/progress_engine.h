// The operations under way in this process. Whoever waits or tests lets all of them proceed, one
// thread at a time; so does the progress thread.
//
// Any thread under MPI_THREAD_MULTIPLE, below it those that MPI allows.
#ifndef COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_
#define COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_

#include <memory>

#include "collectives/engine/operation.h"

namespace cox::collectives {

// Begins an operation. It is complete at some later time, perhaps already now.
void Launch(const std::shared_ptr<Operation>& operation);

// Lets all proceed once. Whether this one is complete then.
bool Test(Operation* operation);

// Until it is complete. Blocks in MPI while it is the only one and no other thread may come;
// otherwise looks again and again, or sleeps while the progress thread does.
void Wait(Operation* operation);

// Lets all operations of this process proceed once, without waiting.
void LetProceed();

// The progress thread; see cox_progress_start and cox_progress_stop.
int StartProgressThread();
int StopProgressThread();

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_PROGRESS_ENGINE_H_
