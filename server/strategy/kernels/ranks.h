// Conditions on the number of ranks of a kernel: squares, cubes. Pure functions, any thread.
#ifndef COX_STRATEGY_KERNELS_RANKS_H_
#define COX_STRATEGY_KERNELS_RANKS_H_

#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::strategy {

// The integer root of a number up to 2^62, or 0 if it has none.
inline int64_t WholeSquareRoot(int64_t number) {
  const auto root = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(number))));
  return root * root == number ? root : 0;
}
inline int64_t WholeCubeRoot(int64_t number) {
  const auto root = static_cast<int64_t>(std::llround(std::cbrt(static_cast<double>(number))));
  return root * root * root == number ? root : 0;
}

// ceil(log2(number)), number >= 1.
inline int64_t CeilLog2(int64_t number) {
  int64_t log = 0;
  while ((int64_t{1} << log) < number) ++log;
  return log;
}

// FAILED_PRECONDITION "needs <what>, not <number>".
inline absl::Status Needs(absl::string_view what, int64_t number) {
  return absl::FailedPreconditionError(absl::StrCat("needs ", what, ", not ", number));
}

// FAILED_PRECONDITION unless `divisor` divides `n`.
inline absl::Status NeedsMultiple(int64_t n, int64_t divisor) {
  if (n % divisor == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("needs a size that ", divisor, " divides, not ", n));
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_KERNELS_RANKS_H_
