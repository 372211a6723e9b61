#include "agent/timing/call_clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace cox::agent {

constinit CallClock call_clock;

namespace {

// A counter of less than 100 MHz or more than 100 GHz is none.
constexpr CallClock::Scale kLeastScale = CallClock::kNanosecond / 100;
constexpr CallClock::Scale kMostScale = CallClock::kNanosecond * 10;
constexpr int kTries = 8;

// Whether the kernel's own clock is the counter: it has checked then that the counter runs evenly,
// in all cores alike, and watches it.
bool KernelTrustsCounter() {
#ifdef __x86_64__
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char name[8] = {};
  const ssize_t size = read(file, name, sizeof(name) - 1);
  close(file);
  return size > 0 && strcmp(name, "tsc\n") == 0;
#else
  return false;
#endif
}

}  // namespace

// Of some tries the one with the least time between the readings: a rank may lose its core.
CallClock::Instant CallClock::Now() {
  Instant best{};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = ReadCounter();
    const uint64_t ns = NowNs();
    const uint64_t between = ReadCounter() - before;
    if (between < least) {
      least = between;
      best = {before + between / 2, ns};
    }
  }
  return best;
}

void CallClock::Begin() {
  has_begun_ = KernelTrustsCounter();
  if (has_begun_) begun_ = Now();
}

void CallClock::Calibrate() {
  if (!has_begun_) return;
  const Instant now = Now();
  if (now.ns < begun_.ns + kLeastNs || now.ticks <= begun_.ticks) return;
  const auto scale = static_cast<Scale>((static_cast<unsigned __int128>(now.ns - begun_.ns) << 32) /
                                        (now.ticks - begun_.ticks));
  if (scale < kLeastScale || scale > kMostScale || scale == kNanosecond) return;
  scale_.store(scale, std::memory_order_relaxed);
}

}  // namespace cox::agent
