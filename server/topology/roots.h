// Integer roots, rounded up. Pure, any thread.
#ifndef COX_TOPOLOGY_ROOTS_H_
#define COX_TOPOLOGY_ROOTS_H_

#include <cmath>
#include <cstdint>

namespace cox::topology {

// The smallest number whose square (cube) is >= n. 1 <= n < 2^31.
inline int64_t CeilSquareRoot(int64_t n) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root < n) ++root;
  while ((root - 1) * (root - 1) >= n) --root;
  return root;
}
inline int64_t CeilCubeRoot(int64_t n) {
  auto root = static_cast<int64_t>(std::cbrt(static_cast<double>(n)));
  while (root * root * root < n) ++root;
  while ((root - 1) * (root - 1) * (root - 1) >= n) --root;
  return root;
}

// Whether n >= 1 is a square number.
inline bool IsSquare(int64_t n) { return CeilSquareRoot(n) * CeilSquareRoot(n) == n; }
inline bool IsFourthPower(int64_t n) { return IsSquare(n) && IsSquare(CeilSquareRoot(n)); }

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_ROOTS_H_
