// The background thread of a node's first rank: every interval it takes what the ranks of the node
// have timed and hands it to the streaming plugin, which alone knows how to send and where to
// spool.
//
// One drain per process. StartDrain, HurryDrain, FinishDrain from the thread that runs MPI_Init and
// MPI_Finalize; ForgetDrain only in a forked child. The thread blocks all signals, makes no MPI
// call and never writes to stdout. Without the plugin the agent is off and the job goes on.
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
  int listener;  // -1: no other rank on this node
};

// False when no thread could be had.
bool StartDrain(const DrainJob& job);

// Drains now and not only when the interval ends.
void HurryDrain();

// Drains for the last time, sends or spools what is left, and waits until that is done or the clock
// shows deadline_ns.
void FinishDrain(uint64_t deadline_ns);

void ForgetDrain();

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_DRAIN_H_
