#include "daemon/host/memory_budget.h"

#include <malloc.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace cox::daemon {
namespace {

// The allocator keeps freed memory. When no request is in progress and they have held this much,
// the kernel gets it back.
constexpr int64_t kWorthTrimming = int64_t{32} << 20;

}  // namespace

MemoryBudget::MemoryBudget(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

absl::StatusOr<MemoryBudget::Lease> MemoryBudget::Take(int64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  int64_t& held_bytes = state_->held_bytes;
  if (held_bytes > 0 && held_bytes + bytes > limit_bytes_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "memory: this request needs about ", bytes, " bytes, requests in progress hold ",
        held_bytes, " of ", limit_bytes_, " (max-memory): send again later"));
  }
  held_bytes += bytes;
  state_->peak_bytes = std::max(state_->peak_bytes, held_bytes);
  return Lease(state_.get(), [state = state_, bytes](void*) { GiveBack(*state, bytes); });
}

int64_t MemoryBudget::held_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->held_bytes;
}

void MemoryBudget::GiveBack(State& state, int64_t bytes) {
  {
    const std::lock_guard lock(state.mutex);
    state.held_bytes -= bytes;
    if (state.held_bytes > 0 || state.peak_bytes < kWorthTrimming) return;
    state.peak_bytes = 0;
  }
  malloc_trim(0);
}

}  // namespace cox::daemon
