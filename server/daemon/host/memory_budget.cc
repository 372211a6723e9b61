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

MemoryBudget::MemoryBudget(int64_t limit_bytes) : state_(std::make_shared<State>(limit_bytes)) {}

absl::StatusOr<MemoryBudget::Lease> MemoryBudget::Take(const std::string& caller, int64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  domain::Shares& shares = state_->bytes;
  if (!shares.Take(caller, bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "memory: this request needs about ", bytes, " bytes, requests in progress hold ",
        shares.held(), " of ", shares.limit(), " (max-memory), ", shares.HeldBy(caller),
        " of this caller: send again later"));
  }
  state_->peak_bytes = std::max(state_->peak_bytes, shares.held());
  return Lease(state_.get(),
               [state = state_, caller, bytes](void*) { GiveBack(*state, caller, bytes); });
}

int64_t MemoryBudget::held_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->bytes.held();
}

void MemoryBudget::GiveBack(State& state, const std::string& caller, int64_t bytes) {
  {
    const std::lock_guard lock(state.mutex);
    state.bytes.GiveBack(caller, bytes);
    if (state.bytes.held() > 0 || state.peak_bytes < kWorthTrimming) return;
    state.peak_bytes = 0;
  }
  malloc_trim(0);
}

}  // namespace cox::daemon
