// The largest ranks, messages and counts that anybody may ask about or report. Products of ranks
// and bytes fit no int64: multiply in double, or check first.
#ifndef COX_DOMAIN_LIMITS_H_
#define COX_DOMAIN_LIMITS_H_

#include <cstdint>

namespace cox::domain {

inline constexpr int64_t kMaxRanks = (int64_t{1} << 31) - 1;  // MPI counts ranks in an int
inline constexpr int64_t kMaxBlockBytes = int64_t{1} << 62;
// The most timings that one row, or one count of dropped timings, may stand for.
inline constexpr int64_t kMaxTimingCount = 1'000'000'000'000;

}  // namespace cox::domain

#endif  // COX_DOMAIN_LIMITS_H_
