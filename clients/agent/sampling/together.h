// What all ranks do together or none does: synchronised samples, steering. In MPI_Init, after
// LoadLibrary; does something the first time only. Waits at most as long as agreement.h and fetch.h
// say.
#ifndef COX_AGENT_SAMPLING_TOGETHER_H_
#define COX_AGENT_SAMPLING_TOGETHER_H_

namespace cox::agent {

void StartTogether();

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_TOGETHER_H_
