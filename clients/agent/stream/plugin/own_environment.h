// What getenv() reads within the plugin.
#ifndef COX_AGENT_STREAM_PLUGIN_OWN_ENVIRONMENT_H_
#define COX_AGENT_STREAM_PLUGIN_OWN_ENVIRONMENT_H_

namespace cox::agent {

// From now on getenv() in the plugin, in all that is linked into it, reads this copy: NAME=VALUE,
// ended by a null. It must live for ever. Null: the process's environment. Any thread.
void UseEnvironment(const char* const* copy);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_PLUGIN_OWN_ENVIRONMENT_H_
