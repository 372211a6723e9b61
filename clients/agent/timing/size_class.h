// The sizes under which calls with unequal blocks are reported. An application that sends other
// counts in each call would otherwise name a new scenario in each, and none twice.
#ifndef COX_AGENT_TIMING_SIZE_CLASS_H_
#define COX_AGENT_TIMING_SIZE_CLASS_H_

#include <bit>
#include <cstdint>

namespace cox::agent {

// The nearest number that has four significant bits, so that the error is at most 1/16: eight
// classes between a power of two and the next. The number itself below 16. 0 <= number < 2^62.
constexpr int64_t SizeClassOf(int64_t number) {
  constexpr int kSignificantBits = 4;
  const int dropped = std::bit_width(static_cast<uint64_t>(number)) - kSignificantBits;
  if (dropped <= 0) return number;
  return ((number + (int64_t{1} << (dropped - 1))) >> dropped) << dropped;
}

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_SIZE_CLASS_H_
