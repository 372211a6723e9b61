// Marks what the dynamic linker may see of the agent: the MPI functions that it wraps.
#ifndef COX_AGENT_WRAPPERS_EXPORT_H_
#define COX_AGENT_WRAPPERS_EXPORT_H_

#define COX_EXPORT __attribute__((visibility("default")))

#endif  // COX_AGENT_WRAPPERS_EXPORT_H_
