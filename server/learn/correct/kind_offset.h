// How much longer the same call takes in jobs than in a benchmark, where caches are warm and ranks
// enter together. The factor differs from algorithm to algorithm. For example, a rank of a job may
// time more or less than the whole of a broadcast. Immutable after Build, any thread.
#ifndef COX_LEARN_CORRECT_KIND_OFFSET_H_
#define COX_LEARN_CORRECT_KIND_OFFSET_H_

#include <map>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/prepared_cells.h"
#include "learn/samples.h"

namespace cox::learn {

// How much longer a call takes in jobs than in a benchmark.
struct JobFactor {
  double log_factor = 0;  // natural, of the time
  double variance = 0;    // of log_factor, from algorithm to algorithm and from call to call
};

class KindOffsets {
 public:
  // Learns from the calls that were timed in both ways. Names live as long as `cells`. O(n log n)
  // for n cells.
  static KindOffsets Build(absl::Span<const PreparedCell> cells);

  // What to add to the logarithm of a cell's time, so that cells of both kinds can be compared: 0
  // for benchmarks. For jobs minus the median, over the algorithms of the (library, collective), of
  // each algorithm's median ratio; a prior of two calls without a difference draws it towards 0.
  double For(const Cell& cell) const;

  // The variance of ln(time) that remains: 0 for benchmarks, and where no call was timed in both
  // ways. Otherwise > 0: the variance between algorithms, with a prior of two algorithms at a
  // deviation of 0.2, plus the variance within them. More timings do not reduce it.
  double VarianceOf(const Cell& cell) const;

  // One for each (library, collective) with a call that was timed in both ways.
  std::map<std::pair<absl::string_view, absl::string_view>, JobFactor> JobFactors() const;

  // The part between algorithms. All cells of an algorithm share one error of this variance, so
  // more places do not reduce it either.
  double CommonVarianceOf(const Cell& cell) const;

 private:
  struct Offset {
    double log_factor = 0;
    double common_variance = 0;
    double own_variance = 0;
    double distrusted = 0;  // what the prior takes from the ratio that was seen
  };
  Offset Of(const Cell& cell) const;

  std::map<std::pair<absl::string_view, absl::string_view>, Offset> offsets_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_KIND_OFFSET_H_
