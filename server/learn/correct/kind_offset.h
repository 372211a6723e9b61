// How much longer the same call takes in jobs than in a benchmark, where caches are warm and ranks
// enter together, and how little that is one factor: what a rank of a job sees of a broadcast, say,
// is now more and now less than the whole, from one algorithm to the next. Immutable after Build,
// any thread.
#ifndef COX_LEARN_CORRECT_KIND_OFFSET_H_
#define COX_LEARN_CORRECT_KIND_OFFSET_H_

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
  // for benchmarks; for jobs minus the median, over the algorithms of their (library, collective),
  // of each one's median ratio, drawn towards 0 by two calls' worth of belief that there is no
  // difference.
  double For(const Cell& cell) const;

  // The variance of what is left then, of the logarithm: 0 for benchmarks, and where nothing was
  // timed in both ways. Else above 0: that between algorithms, drawn towards a deviation of 0.2 by
  // two algorithms' worth of belief, and that within them. More timings do not reduce it.
  double VarianceOf(const Cell& cell) const;

  // The part of it between algorithms: all of an algorithm's cells have one error of this variance
  // in common, so that more places do not reduce it either.
  double CommonVarianceOf(const Cell& cell) const;

 private:
  struct Offset {
    double log_factor = 0;
    double common_variance = 0;
    double own_variance = 0;
  };
  Offset Of(const Cell& cell) const;

  std::map<std::pair<absl::string_view, absl::string_view>, Offset> offsets_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_KIND_OFFSET_H_
