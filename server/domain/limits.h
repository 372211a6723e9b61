// The largest ranks and messages that anybody may ask about or report. Products of the two fit no
// int64: multiply in double, or check first.
#ifndef COX_DOMAIN_LIMITS_H_
#define COX_DOMAIN_LIMITS_H_

#include <cstdint>

namespace cox::domain {

inline constexpr int64_t kMaxRanks = (int64_t{1} << 31) - 1;  // MPI counts ranks in an int
inline constexpr int64_t kMaxBlockBytes = int64_t{1} << 62;

}  // namespace cox::domain

#endif  // COX_DOMAIN_LIMITS_H_
