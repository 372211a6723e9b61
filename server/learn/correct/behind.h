// Which algorithms were slower than the library's default at the most ranks that both were timed
// with. Beyond those ranks only their predicted growth promises a gain. Immutable once built, any
// thread.
#ifndef COX_LEARN_CORRECT_BEHIND_H_
#define COX_LEARN_CORRECT_BEHIND_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

// Of one (library, collective).
class Behind {
 public:
  // An algorithm is behind if it takes longer than this times the default's time.
  static constexpr double kTolerance = 1.02;

  void Add(absl::string_view algorithm, int64_t block_bytes, int64_t ranks);

  // The most ranks with which the algorithm and the default were timed with this block, if the
  // algorithm was behind there; else 0. Allocates nothing.
  int64_t At(absl::string_view algorithm, int64_t block_bytes) const;

 private:
  absl::flat_hash_map<std::string, absl::flat_hash_map<int64_t, int64_t>> ranks_;
};

// By (library, collective). Compares timings of the same call that were taken in the same way. If
// several calls have the most ranks, the algorithm must be behind in all of them. Names live as
// long as those of `cells`. O(n log n).
std::map<std::pair<absl::string_view, absl::string_view>, Behind> FindBehind(
    absl::Span<const PreparedCell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_BEHIND_H_
