// Threads of the agent's own in the application's process, and waiting for them. Called from
// MPI_Init by one thread.
#ifndef COX_AGENT_JOB_BACKGROUND_H_
#define COX_AGENT_JOB_BACKGROUND_H_

#include <pthread.h>

namespace cox::agent {

// A condition whose timed waits are by CLOCK_MONOTONIC: clocks that are set do not matter.
void InitCondition(pthread_cond_t* condition);

// Starts a detached thread that runs `function` with a null argument. It, and the threads that gRPC
// starts from it, take no signals: the application's go to the application's threads. 0, or the
// errno of pthread_create.
int StartThread(void* (*function)(void*));

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_BACKGROUND_H_
