// Keeps secrets out of core files: the keys and tokens of this process are in its memory.
#ifndef COX_DAEMON_HOST_CORE_FILES_H_
#define COX_DAEMON_HOST_CORE_FILES_H_

#include "absl/status/status.h"

namespace cox::daemon {

// From now on a core file of this process, and of those that it starts, has registers and no
// memory. Root can change that of a running process: /proc/PID/coredump_filter. UNAVAILABLE: /proc
// is missing or cannot be written. Any thread.
absl::Status KeepMemoryOutOfCoreFiles();

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_CORE_FILES_H_
