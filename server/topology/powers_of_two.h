// Powers of two, for which many algorithms are written. Pure, any thread.
#ifndef COX_TOPOLOGY_POWERS_OF_TWO_H_
#define COX_TOPOLOGY_POWERS_OF_TWO_H_

#include <bit>
#include <cstdint>

namespace cox::topology {

// False for numbers <= 0.
inline bool IsPowerOfTwo(int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<uint64_t>(number));
}

// The largest power of two <= number; 0 for 0. number >= 0.
inline int64_t LargestPowerOfTwo(int64_t number) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(number)));
}

// The smallest power of two > number; 0 where int64_t has none. number >= 0.
inline int64_t PowerOfTwoAbove(int64_t number) {
  const int exponent = std::bit_width(static_cast<uint64_t>(number));
  return exponent < 63 ? int64_t{1} << exponent : 0;
}

// How often 1 is doubled until it reaches `number`: log2, rounded up. number >= 1.
inline int DoublingsTo(int64_t number) { return std::bit_width(static_cast<uint64_t>(number - 1)); }

// The exponent of the largest power of two that divides the number. number > 0.
inline int ExponentOf(int64_t number) { return std::countr_zero(static_cast<uint64_t>(number)); }

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_POWERS_OF_TWO_H_
