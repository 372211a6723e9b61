// Starts the agent's threads in the application's process, and waits for them. Called from MPI_Init
// by one thread.
#ifndef COX_AGENT_JOB_BACKGROUND_H_
#define COX_AGENT_JOB_BACKGROUND_H_

#include <pthread.h>

namespace cox::agent {

// A condition whose timed waits use CLOCK_MONOTONIC: setting the clock does not disturb them.
void InitCondition(pthread_cond_t* condition);

// Starts a detached thread that runs `function` with a null argument. The thread blocks all
// signals, so that signals reach the application's threads. Threads that gRPC starts from it do so,
// too. Returns 0, or the errno of pthread_create.
int StartThread(void* (*function)(void*));

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_BACKGROUND_H_
