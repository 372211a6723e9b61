// The wall clock, as the store counts instants.
#ifndef COX_DAEMON_WALL_CLOCK_H_
#define COX_DAEMON_WALL_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace cox::daemon {

// Microseconds since the Unix epoch, UTC.
inline int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace cox::daemon

#endif  // COX_DAEMON_WALL_CLOCK_H_
