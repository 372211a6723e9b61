// Sums of counts that reporters state: they say what they like, and a sum must not overflow.
#ifndef COX_DOMAIN_SATURATING_ADD_H_
#define COX_DOMAIN_SATURATING_ADD_H_

#include <cstdint>
#include <limits>

namespace cox::domain {

// a + b, at most the greatest int64_t. Both >= 0.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_SATURATING_ADD_H_
