// The agent's life in one process: off, then on from MPI_Init to MPI_Finalize.
//
// Each function is called by the wrappers of MPI_Init and MPI_Finalize, by whichever thread calls
// those; calling one twice does nothing the second time. Nothing here makes an MPI call, changes
// the job's results or its exit status, or blocks, except that AfterFinalize waits at most
// kFinalizeWaitNs.
#ifndef COX_AGENT_JOB_PROCESS_H_
#define COX_AGENT_JOB_PROCESS_H_

#include <cstdint>

#include "agent/job/settings.h"

namespace cox::agent {

inline constexpr uint64_t kFinalizeWaitNs = 50'000'000;

// Reads the environment; the node's first rank starts to listen for the others' tables. `library`
// is the label of the observations ("openmpi-4.1") and must outlive the process.
void BeforeInit(const char* library);

// Whether BeforeInit decided that this process takes part.
bool WantsToRun();

// Whether it wants synchronised samples (COX_SYNC) as well.
bool WantsToSynchronise();
// What share of the time they may take.
double SynchronisedShare();

// Whether it wants its calls steered (COX_APPLY).
bool WantsToApply();

// What the daemon knows jobs like this one by. After BeforeInit; valid for as long as the process.
struct JobDescription {
  const Settings* settings;
  const char* library;
  int64_t nodes;
  int64_t ppn;  // nodes * ppn may be more than the ranks
};
JobDescription DescribeJob(int64_t world_ranks);

// MPI is up and has so many ranks: creates the table, starts the drain on the node's first rank.
void AfterInit(int64_t world_ranks);

// All timings of this rank are in its table: hurry the drain on.
void BeforeFinalize();

// All ranks have reached MPI_Finalize: drain for the last time, send or spool, and switch off.
void AfterFinalize();

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_PROCESS_H_
