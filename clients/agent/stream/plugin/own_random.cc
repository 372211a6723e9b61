// gRPC draws times between probes, and some starting points, from rand(). That is the generator
// behind the application's random(). Ranks with the same seed may choose their next collective by
// it, and would diverge. This hidden function replaces the C library's within the plugin only.
#include <unistd.h>

#include <atomic>
#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) int rand() noexcept {
  // splitmix64, seeded by the process, so that probes of several processes do not coincide.
  static std::atomic<uint64_t> state = static_cast<uint64_t>(getpid()) << 32;
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  uint64_t mixed = state.fetch_add(kStep, std::memory_order_relaxed) + kStep;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return static_cast<int>(mixed >> 33);  // 0 to RAND_MAX
}
