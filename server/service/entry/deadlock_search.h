// Abseil's search for deadlocks, which Debian's build of it makes by default.
//
// Each mutex that a thread locks while it holds another one goes into one graph of the whole
// process, under one spinlock. gRPC does so several times in each call, and all its threads wait
// when the one at the graph loses its processor.
#ifndef COX_SERVICE_ENTRY_DEADLOCK_SEARCH_H_
#define COX_SERVICE_ENTRY_DEADLOCK_SEARCH_H_

#include "absl/synchronization/mutex.h"

namespace cox::service {

// For the whole process; call it once, before the server starts.
inline void StopDeadlockSearch() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_DEADLOCK_SEARCH_H_
