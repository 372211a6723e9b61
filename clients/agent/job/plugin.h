// Finds the streaming plugin beside the agent's library and opens it with local symbols. Never
// closes it. One thread.
#ifndef COX_AGENT_JOB_PLUGIN_H_
#define COX_AGENT_JOB_PLUGIN_H_

#include "agent/job/stream.h"

namespace cox::agent {

struct Plugin {
  CoxStreamOpen open;
  CoxStreamAdd add;
  CoxStreamAddSketch add_sketch;
  CoxStreamFlush flush;
  CoxStreamClose close;
  CoxStreamDecide decide;
};

// False, with a log line, when there is no usable plugin.
bool LoadPlugin(Plugin* plugin);

// Writes the path of a file in the agent's folder to `path`; false when the folder is unknown or
// the path too long.
bool PathBesideAgent(const char* name, char* path, size_t size);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_PLUGIN_H_
