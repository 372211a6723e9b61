// Finds and opens the streaming plugin beside the agent's own library, with local symbols, and
// never closes it. One thread.
#ifndef COX_AGENT_JOB_PLUGIN_H_
#define COX_AGENT_JOB_PLUGIN_H_

#include "agent/job/stream.h"

namespace cox::agent {

struct Plugin {
  CoxStreamOpen open;
  CoxStreamAdd add;
  CoxStreamFlush flush;
  CoxStreamClose close;
  CoxStreamDecide decide;
};

// False (and a log line saying why) when there is no usable plugin.
bool LoadPlugin(Plugin* plugin);

// The path of a file in the folder that the agent was loaded from; false where it is not known or
// has no room.
bool PathBesideAgent(const char* name, char* path, size_t size);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_PLUGIN_H_
