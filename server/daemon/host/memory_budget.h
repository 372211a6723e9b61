// Bounds the memory of requests in progress, of all callers and of each: every request takes its
// estimated cost before the work and gives it back after.
//
// Any thread.
#ifndef COX_DAEMON_HOST_MEMORY_BUDGET_H_
#define COX_DAEMON_HOST_MEMORY_BUDGET_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "domain/sharing/shares.h"

namespace cox::daemon {

class MemoryBudget {
 public:
  // What Take() took; its last copy gives it back. May outlive the budget.
  using Lease = std::shared_ptr<void>;

  // `limit_bytes` >= 1.
  explicit MemoryBudget(int64_t limit_bytes);

  // RESOURCE_EXHAUSTED if the requests in progress would need more than the limit, or those of
  // `caller` (a principal's name) more than its share (domain/sharing/shares.h). A request that
  // alone needs more is admitted when nothing else is in progress.
  absl::StatusOr<Lease> Take(const std::string& caller, int64_t bytes);

  // Estimated bytes of all requests in progress.
  int64_t held_bytes() const;

 private:
  struct State {
    explicit State(int64_t limit_bytes) : bytes(limit_bytes) {}
    std::mutex mutex;
    domain::Shares bytes;
    int64_t peak_bytes = 0;  // since the heap was trimmed
  };
  static void GiveBack(State& state, const std::string& caller, int64_t bytes);

  const std::shared_ptr<State> state_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_HOST_MEMORY_BUDGET_H_
