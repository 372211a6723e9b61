// Lists of message sizes and of pair counts, as the command line writes them.
//
// Pure, any thread. Errors are INVALID_ARGUMENT; they name the wrong element and the reason, but
// not the option, which the caller knows.
#ifndef COX_BENCH_SIZES_H_
#define COX_BENCH_SIZES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::bench {

// MPI counts are ints: no block can be larger.
inline constexpr int64_t kMaxBlockBytes = 2147483647;

// A sweep has at most this many values, so that a typing error does not cause a day of measuring.
inline constexpr int64_t kMaxListLength = 1000;

// One size: "1024", "1KiB", "1k", "4M" (k, M and G are powers of 1024). In [0, kMaxBlockBytes].
absl::StatusOr<int64_t> ParseSize(absl::string_view text);

// A comma-separated list of sizes and sweeps: "0,64,1k..1M:*4,1M..4M:+1M". A sweep without a step
// doubles. Ascending, without duplicates.
absl::StatusOr<std::vector<int64_t>> ParseSizes(absl::string_view text);

// For people: 4096 -> "4 KiB", 1000 -> "1000 B".
std::string FormatSize(int64_t bytes);

}  // namespace cox::bench

#endif  // COX_BENCH_SIZES_H_
