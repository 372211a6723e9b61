// The numbers of ranks that exhaustive tests use.
#ifndef COX_TESTS_UNIT_STRATEGY_RANK_COUNTS_H_
#define COX_TESTS_UNIT_STRATEGY_RANK_COUNTS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cox::strategy {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// 1 .. most. Under a sanitizer, which takes ten times as long, a selection: powers of two and their
// neighbours, squares, cubes, primes, and `most`.
inline std::vector<int64_t> RankCountsUpTo(int64_t most) {
  std::vector<int64_t> counts(static_cast<size_t>(most));
  std::iota(counts.begin(), counts.end(), 1);
  if (!kIsSanitized) return counts;
  constexpr int64_t kSome[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12,  15,
                               16, 17, 25, 27, 31, 32, 48, 63, 64, 100, 125};
  std::erase_if(counts, [&](int64_t ranks) {
    return ranks != most && !std::ranges::binary_search(kSome, ranks);
  });
  return counts;
}

}  // namespace cox::strategy

#endif  // COX_TESTS_UNIT_STRATEGY_RANK_COUNTS_H_
