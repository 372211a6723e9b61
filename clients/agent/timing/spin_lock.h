// A lock in memory that the ranks of a node share. Its holder never blocks, and others wait a
// bounded number of tries: a rank may be killed while it holds the lock.
//
// Any thread of any process that maps it. Starts as zeros.
#ifndef COX_AGENT_TIMING_SPIN_LOCK_H_
#define COX_AGENT_TIMING_SPIN_LOCK_H_

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace cox::agent {

class SpinLock {
 public:
  // False: another thread holds it for too long.
  bool Lock() {
    if (lock_.exchange(1, std::memory_order_acquire) == 0) [[likely]]
      return true;
    return LockSlowly();
  }
  // False: another thread holds it.
  bool TryLock() { return lock_.exchange(1, std::memory_order_acquire) == 0; }
  void Unlock() { lock_.store(0, std::memory_order_release); }

 private:
  static constexpr int kTries = 2000;
  static constexpr int kYields = 200;

  [[gnu::noinline]] bool LockSlowly() {
    for (int i = 0; i < kTries + kYields; ++i) {
      if (lock_.exchange(1, std::memory_order_acquire) == 0) return true;
      // After so many tries the holder has probably lost its processor.
      if (i < kTries) {
        __builtin_ia32_pause();
      } else {
        sched_yield();
      }
    }
    return false;
  }

  std::atomic<uint32_t> lock_;
  static_assert(std::atomic<uint32_t>::is_always_lock_free);
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_SPIN_LOCK_H_
