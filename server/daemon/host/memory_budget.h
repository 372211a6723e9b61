// Bounds the memory of requests in progress: each takes its estimated cost before the work and
// gives it back after.
//
// Any thread.
#ifndef COX_DAEMON_HOST_MEMORY_BUDGET_H_
#define COX_DAEMON_HOST_MEMORY_BUDGET_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"

namespace cox::daemon {

class MemoryBudget {
 public:
  // What Take() took; its last copy gives it back. May outlive the budget.
  using Lease = std::shared_ptr<void>;

  // `limit_bytes` >= 1.
  explicit MemoryBudget(int64_t limit_bytes);

  // RESOURCE_EXHAUSTED if the requests in progress would need more than the limit. A request that
  // alone needs more is admitted when nothing else is in progress.
  absl::StatusOr<Lease> Take(int64_t bytes);

  // Estimated bytes of all requests in progress.
  int64_t held_bytes() const;

 private:
  struct State {
    std::mutex mutex;
    int64_t held_bytes = 0;
    int64_t peak_bytes = 0;  // since the heap was trimmed
  };
  static void GiveBack(State& state, int64_t bytes);

  const int64_t limit_bytes_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_MEMORY_BUDGET_H_
