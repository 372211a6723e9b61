#include "agent/job/requests.h"

namespace cox::agent {

const Requests::Slot* Requests::Find(uint64_t handle) const {
  const uint32_t home = Home(handle);
  for (uint32_t i = 0; i < kProbes; ++i) {
    const Slot& slot = slot_[(home + i) & (kSlots - 1)];
    if (slot.handle.load(std::memory_order_acquire) == handle) return &slot;
  }
  return nullptr;
}

bool Requests::Begin(uint64_t handle, const Started& started) {
  // The library reuses the handle, so the request that had it has completed unseen.
  Started stale;
  End(handle, &stale);
  const uint32_t home = Home(handle);
  for (uint32_t i = 0; i < kProbes; ++i) {
    Slot& slot = slot_[(home + i) & (kSlots - 1)];
    uint64_t expected = kEmpty;
    if (!slot.handle.compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) continue;
    slot.started = started;
    slot.handle.store(handle, std::memory_order_release);
    running_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

bool Requests::End(uint64_t handle, Started* started) {
  auto* slot = const_cast<Slot*>(Find(handle));
  if (slot == nullptr) return false;
  uint64_t expected = handle;
  if (!slot->handle.compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) {
    return false;
  }
  *started = slot->started;
  slot->handle.store(kEmpty, std::memory_order_release);
  running_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

}  // namespace cox::agent
