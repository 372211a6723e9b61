// The agent's life in one process: off, then on from MPI_Init to MPI_Finalize.
//
// The wrappers of MPI_Init and MPI_Finalize call these functions, on the thread that runs MPI_Init
// or MPI_Finalize; a second call does nothing. None of them makes an MPI call, changes results or
// exit status, or blocks, except that AfterFinalize waits at most kFinalizeWaitNs.
#ifndef COX_AGENT_JOB_PROCESS_H_
#define COX_AGENT_JOB_PROCESS_H_

#include <cstdint>

#include "agent/job/settings.h"

namespace cox::agent {

inline constexpr uint64_t kFinalizeWaitNs = 50'000'000;

// Reads the environment. The node's first rank starts to listen for the tables of the other ranks.
// `library` is the observations' label ("openmpi-4.1") and must outlive the process.
void BeforeInit(const char* library);

// Whether BeforeInit decided that this process takes part.
bool WantsToRun();

// Names settings with a refused value on stderr. One rank of the job calls it; does nothing the
// second time.
void WarnOfSettings();

// Whether it wants synchronised samples (COX_SYNC).
bool WantsToSynchronise();
// The share of the time that samples may take.
double SynchronisedShare();

// Whether it wants its calls steered (COX_APPLY).
bool WantsToApply();
// The share of the time that making private communicators may take (COX_PRIVATE).
double PrivateShare();

// The job as the daemon knows it. Call after BeforeInit; valid until the process ends.
struct JobDescription {
  const Settings* settings;
  const char* library;
  int64_t nodes;
  int64_t ppn;  // nodes * ppn may be more than the ranks
};
JobDescription DescribeJob(int64_t world_ranks);

// Call when MPI runs. Creates the table; on the node's first rank starts the drain.
void AfterInit(int64_t world_ranks);

// Call when all timings of this rank are in its table: the drain runs at once.
void BeforeFinalize();

// Call when all ranks have reached MPI_Finalize: drains, sends or spools the rest, switches off.
void AfterFinalize();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_PROCESS_H_
