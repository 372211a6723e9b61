// Summary of a set of timings: median, spread, confidence interval, and when to stop measuring.
//
// Pure, any thread.
#ifndef COX_BENCH_STATISTICS_H_
#define COX_BENCH_STATISTICS_H_

#include <vector>

namespace cox::bench {

struct Summary {
  int count = 0;
  double median_s = 0;
  double stddev_s = 0;  // of the samples, n - 1; 0 for fewer than two
  // The 95 % confidence interval of the median, from order statistics: no assumption on the
  // distribution. [0, infinity] for fewer than six samples, which cannot give one.
  double low_s = 0;
  double high_s = 0;
};

// Times in seconds, in any order. An empty set gives zeros.
Summary Summarise(std::vector<double> times_s);

// True when both ends of the interval lie within 5 % of the median, from at least ten samples.
bool IsSettled(const Summary& summary);

}  // namespace cox::bench

#endif  // COX_BENCH_STATISTICS_H_
