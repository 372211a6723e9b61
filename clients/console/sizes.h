// Message sizes and sweeps as the command line takes them. Pure, any thread.
//
//   SIZE   1024, 1KiB, 64k, 4MiB, 1.5M: k, M, G, T (also Ki, KiB, KB ...) are powers of 1024
//   SWEEP  SIZE | FROM..TO[:*FACTOR | :+STEP] | any of these, comma-separated
//
// A range without a step doubles. Its last value is the last one that is <= TO. Failures are
// INVALID_ARGUMENT that says what is wrong with which part.
#ifndef COX_CONSOLE_SIZES_H_
#define COX_CONSOLE_SIZES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::console {

// A sweep with more values than this is refused: it is a slip of the pen.
inline constexpr int64_t kMaxSweepValues = 100000;

// Whole bytes within 0..2^62.
absl::StatusOr<int64_t> ParseSize(absl::string_view text);

// What a sweep is of, for messages only: both take the same form.
enum class SweepOf { kBytes, kCounts };

// The values in the order in which they are written, each within [low, high].
absl::StatusOr<std::vector<int64_t>> ParseSweep(absl::string_view text, int64_t low, int64_t high,
                                                SweepOf of = SweepOf::kBytes);

}  // namespace cox::console

#endif  // COX_CONSOLE_SIZES_H_
