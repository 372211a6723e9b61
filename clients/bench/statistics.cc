#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cox::bench {
namespace {

constexpr int kMinSamples = 10;
constexpr double kTolerance = 0.05;

// The order statistics x[k] and x[n + 1 - k] (counted from 1) enclose the median with at least 95 %
// probability: k follows from the normal approximation of the binomial(n, 1/2), which errs on
// the safe side for every n in use.
int IntervalRank(int count) {
  return static_cast<int>(std::floor((count + 1) / 2.0 - 0.98 * std::sqrt(count)));
}

}  // namespace

Summary Summarise(std::vector<double> times_s) {
  Summary summary;
  const int count = static_cast<int>(times_s.size());
  if (count == 0) return summary;
  std::sort(times_s.begin(), times_s.end());
  summary.count = count;
  summary.median_s = (times_s[(count - 1) / 2] + times_s[count / 2]) / 2;

  double mean_s = 0;
  for (const double time_s : times_s) mean_s += time_s / count;
  double squares = 0;
  for (const double time_s : times_s) squares += (time_s - mean_s) * (time_s - mean_s);
  if (count > 1) summary.stddev_s = std::sqrt(squares / (count - 1));

  const int rank = IntervalRank(count);
  summary.low_s = rank >= 1 ? times_s[rank - 1] : 0;
  summary.high_s = rank >= 1 ? times_s[count - rank] : std::numeric_limits<double>::infinity();
  return summary;
}

bool IsSettled(const Summary& summary) {
  return summary.count >= kMinSamples && summary.low_s >= (1 - kTolerance) * summary.median_s &&
         summary.high_s <= (1 + kTolerance) * summary.median_s;
}

}  // namespace cox::bench
