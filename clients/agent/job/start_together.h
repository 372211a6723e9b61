// Starts the parts that all ranks do or none: synchronised samples and steering. Call in MPI_Init,
// after LoadLibrary; a second call does nothing. Waits at most as long as agreement.h and fetch.h
// say.
#ifndef COX_AGENT_JOB_START_TOGETHER_H_
#define COX_AGENT_JOB_START_TOGETHER_H_

namespace cox::agent {

void StartTogether();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_START_TOGETHER_H_
