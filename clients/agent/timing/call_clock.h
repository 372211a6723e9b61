// The clock of single calls. Where the kernel takes its own time from the processor's time stamp
// counter, so does this clock: reading the counter takes about a third of clock_gettime's time.
// Elsewhere it is the agent's clock (clock.h). The processor may read the counter before the last
// work is done, up to 15 ns early in a trial. A fence would cost 7 ns in each reading.
//
// Any thread. Readings count only against other readings of this process.
#ifndef COX_AGENT_TIMING_CALL_CLOCK_H_
#define COX_AGENT_TIMING_CALL_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "agent/timing/clock.h"

namespace cox::agent {

class CallClock {
 public:
  // Nanoseconds of a tick, times 2^32.
  using Scale = uint64_t;
  static constexpr Scale kNanosecond = Scale{1} << 32;

  // Begins to measure the ticks, which takes microseconds, if they can be trusted. Before MPI_Init.
  void Begin();
  // Uses ticks from now on, if kLeastNs or more have passed since Begin(). One thread, no calls.
  void Calibrate();

  // Take it once for both readings of a call.
  Scale scale() const { return scale_.load(std::memory_order_relaxed); }
  static uint64_t Read(Scale scale) { return scale == kNanosecond ? NowNs() : ReadCounter(); }
  // Converts ticks to nanoseconds.
  static uint64_t ToNs(uint64_t ticks, Scale scale) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(ticks) * scale >> 32);
  }

 private:
  // So long that the readings of both clocks, some 20 ns apart, are off by 10 parts in a million.
  static constexpr uint64_t kLeastNs = 2 * kNsPerMs;

  struct Instant {
    uint64_t ticks;
    uint64_t ns;
  };
  static Instant Now();
  static uint64_t ReadCounter() {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return NowNs();
#endif
  }

  std::atomic<Scale> scale_{kNanosecond};
  bool has_begun_ = false;
  Instant begun_{};
};

extern constinit CallClock call_clock;

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_CALL_CLOCK_H_
