// The environment as it was in MPI_Init, for the agent's threads. The program may set variables at
// any time, and then getenv() in another thread reads what the C library has freed.
#ifndef COX_AGENT_JOB_ENVIRONMENT_H_
#define COX_AGENT_JOB_ENVIRONMENT_H_

namespace cox::agent {

// NAME=VALUE, ended by a null; a copy that lives as long as the process. Null: there is no memory.
// Call from the thread that runs MPI_Init; later calls return the first one's copy.
const char* const* EnvironmentAtInit();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_ENVIRONMENT_H_
