// The background thread of a node's first rank. Every interval it takes the timings of the node's
// ranks and passes them to the streaming plugin, which sends or spools them.
//
// One drain per process. Call StartDrain, HurryDrain and FinishDrain from the thread that runs
// MPI_Init and MPI_Finalize; ForgetDrain only in a forked child. The thread blocks all signals,
// makes no MPI call and never writes to stdout. Without the plugin the agent is off and the job
// continues.
#ifndef COX_AGENT_TIMING_DRAIN_H_
#define COX_AGENT_TIMING_DRAIN_H_

#include <cstdint>

#include "agent/job/settings.h"
#include "agent/timing/table.h"

namespace cox::agent {

struct DrainJob {
  const char* library;
  const Settings* settings;  // outlives the drain
  char spool[1280];
  int64_t ranks;
  int64_t nodes;
  int64_t ppn;
  Table* own_table;
  int listener;                    // -1: no other rank on this node
  const char* const* environment;  // see EnvironmentAtInit()
};

// False when the system gives no thread.
bool StartDrain(const DrainJob& job);

// Drains now, not only at the interval's end.
void HurryDrain();

// Drains for the last time, sends or spools the rest, and waits for that until the clock shows
// deadline_ns.
void FinishDrain(uint64_t deadline_ns);

// In a forked child: forgets the drain, whose thread the child does not have.
void ForgetDrain();

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_DRAIN_H_
