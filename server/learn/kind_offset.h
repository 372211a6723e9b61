// How much longer the same call takes in jobs than in a benchmark, where caches are warm and ranks
// enter together. Immutable after Build, any thread.
#ifndef COX_LEARN_KIND_OFFSET_H_
#define COX_LEARN_KIND_OFFSET_H_

#include <map>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/cells.h"
#include "learn/samples.h"

namespace cox::learn {

class KindOffsets {
 public:
  // From what was timed in both ways: same library, collective, algorithm and place. Names live as
  // long as `cells`. O(cells log cells).
  static KindOffsets Build(absl::Span<const PreparedCell> cells);

  // What to add to the logarithm of a cell's time, so that cells of both kinds can be compared: 0
  // for benchmarks; for jobs minus the median ratio of their (library, collective), drawn towards 0
  // by two calls' worth of belief that there is no difference.
  double For(const Cell& cell) const;

 private:
  std::map<std::pair<absl::string_view, absl::string_view>, double> offsets_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_KIND_OFFSET_H_
