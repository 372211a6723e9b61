// Marks the functions that the dynamic linker may see: the MPI functions that the agent wraps.
#ifndef COX_AGENT_WRAPPERS_EXPORT_H_
#define COX_AGENT_WRAPPERS_EXPORT_H_

#define COX_EXPORT __attribute__((visibility("default")))

#endif  // COX_AGENT_WRAPPERS_EXPORT_H_
