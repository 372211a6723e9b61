// The agent's clock: monotonic nanoseconds, read through the vDSO (no system call on most
// kernels). Any thread, cannot fail.
#ifndef COX_AGENT_TIMING_CLOCK_H_
#define COX_AGENT_TIMING_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kNsPerS = 1000000000;
inline constexpr uint64_t kNsPerMs = 1000000;

inline uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerS + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_CLOCK_H_
