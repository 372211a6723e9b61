// Numbers as people and files write them, read strictly: the whole text must be the number. Pure,
// any thread. Failures are INVALID_ARGUMENT with the rule that was broken, without naming the
// place: the caller knows the file, line and column, or the option.
#ifndef COX_CONSOLE_NUMBERS_H_
#define COX_CONSOLE_NUMBERS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::console {

// Bounds of the API: node, rank and core counts, and bytes.
inline constexpr int64_t kMaxCount = (int64_t{1} << 31) - 1;
inline constexpr int64_t kMaxBytes = int64_t{1} << 62;

// A decimal integer within [low, high]. No sign but '-', no blanks, no exponent.
absl::StatusOr<int64_t> ParseInteger(absl::string_view text, int64_t low, int64_t high);

// A finite decimal number > 0. NaN, infinities, hexadecimal forms, overflow and underflow are
// refused.
absl::StatusOr<double> ParsePositive(absl::string_view text);

// The same, and 0.
absl::StatusOr<double> ParseNonNegative(absl::string_view text);

// A share of a whole: "0.05" or "5%", 0 or within [1e-6, high]. The agent and Slurm's plugin have
// the same rule.
absl::StatusOr<double> ParseShare(absl::string_view text, double high);

// The shortest text that reads back as the same number.
std::string FormatDouble(double value);

}  // namespace cox::console

#endif  // COX_CONSOLE_NUMBERS_H_
