// Bounds that the time of a collective keeps by far on every machine. Header only; any thread,
// cannot fail.
#ifndef COX_DOMAIN_PLAUSIBLE_TIME_H_
#define COX_DOMAIN_PLAUSIBLE_TIME_H_

#include <cstdint>

namespace cox::domain {

// Light takes 3 ns for a metre, memory moves less than a terabyte per second into one rank, and a
// serial line more than 100 kB. Each rank may wait 10 ms for a processor.
inline constexpr double kLeastLatency_s = 2e-8;
inline constexpr double kMostRate_bps = 1e12;
inline constexpr double kMostLatency_s = 1e-2;
inline constexpr double kLeastRate_bps = 1e5;

// Whether no machine is as fast. One rank alone may take any time. `ranks` >= 1, block_bytes >= 0.
inline bool IsTooShort(double time_s, int64_t ranks, int64_t block_bytes) {
  return ranks > 1 && time_s < kLeastLatency_s + static_cast<double>(block_bytes) / kMostRate_bps;
}

// Whether no machine is as slow; mostly the time has another unit.
inline bool IsTooLong(double time_s, int64_t ranks, int64_t block_bytes) {
  return time_s > static_cast<double>(ranks) *
                      (kMostLatency_s + static_cast<double>(block_bytes) / kLeastRate_bps);
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_PLAUSIBLE_TIME_H_
