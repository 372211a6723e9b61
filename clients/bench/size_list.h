// Lists of message sizes and of pair counts that cox-bench goes through. Pure, any thread.
#ifndef COX_BENCH_SIZE_LIST_H_
#define COX_BENCH_SIZE_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "console/sizes.h"

namespace cox::bench {

// MPI counts are ints: no block can be larger.
inline constexpr int64_t kMaxBlockBytes = 2147483647;

// A list has at most this many values, so that a typing error does not cause a day of measuring.
inline constexpr int64_t kMaxListLength = 1000;

// The values of a sweep (console/sizes.h), each within 0..kMaxBlockBytes: "0,64,1k..1M:*4".
// Ascending, without duplicates. INVALID_ARGUMENT names the wrong part and the rule, but not the
// option, which the caller knows.
absl::StatusOr<std::vector<int64_t>> ParseSizeList(absl::string_view text,
                                                   console::SweepOf of = console::SweepOf::kBytes);

}  // namespace cox::bench

#endif  // COX_BENCH_SIZE_LIST_H_
