// Powers of two of ranks, which many algorithms are made for. Pure.
#ifndef COX_LIBRARY_POWERS_OF_TWO_H_
#define COX_LIBRARY_POWERS_OF_TWO_H_

#include <bit>
#include <cstdint>

namespace cox::library {

// ranks >= 1.
inline bool IsPowerOfTwo(int64_t ranks) {
  return std::has_single_bit(static_cast<uint64_t>(ranks));
}

// The largest one that is not above `ranks` (>= 1).
inline int64_t LargestPowerOfTwo(int64_t ranks) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(ranks)));
}

}  // namespace cox::library

#endif  // COX_LIBRARY_POWERS_OF_TWO_H_
