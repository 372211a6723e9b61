// gRPC draws the pause between two probes of a connection, and a few starting points, from rand().
// That is the generator behind the application's random(): ranks that draw the same numbers from
// the same seed, and choose by them which collective they call next, would part. This hidden
// function takes the C library's place within the plugin only.
#include <unistd.h>

#include <atomic>
#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) int rand() noexcept {
  // splitmix64. Other numbers in each process, or their probes would come together.
  static std::atomic<uint64_t> state = static_cast<uint64_t>(getpid()) << 32;
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  uint64_t mixed = state.fetch_add(kStep, std::memory_order_relaxed) + kStep;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return static_cast<int>(mixed >> 33);  // 0 to RAND_MAX
}
