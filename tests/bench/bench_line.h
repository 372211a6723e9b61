// The lines that ./tests/run --bench collects into its table:
// BENCH <tab> name <tab> value <tab> floor <tab> ratio <tab> target <tab> verdict.
#ifndef COX_TESTS_BENCH_BENCH_LINE_H_
#define COX_TESTS_BENCH_BENCH_LINE_H_

#include <algorithm>
#include <cstdio>
#include <vector>

namespace cox::bench {

inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Good when value / floor <= target.
inline void PrintAtMost(const char* name, double value, double floor, double target) {
  std::printf("BENCH\t%s\t%.4g\t%.4g\t%.3f\t<= %g\t%s\n", name, value, floor, value / floor, target,
              value / floor <= target ? "ok" : "MISSED");
  std::fflush(stdout);
}

// Good when value / floor >= target.
inline void PrintAtLeast(const char* name, double value, double floor, double target) {
  std::printf("BENCH\t%s\t%.4g\t%.4g\t%.3f\t>= %g\t%s\n", name, value, floor, value / floor, target,
              value / floor >= target ? "ok" : "MISSED");
  std::fflush(stdout);
}

// A rate whose target is the bound itself.
inline void PrintRateAtLeast(const char* name, double value, double bound) {
  std::printf("BENCH\t%s\t%.4g\t%.4g\t%.3f\t>= 1\t%s\n", name, value, bound, value / bound,
              value >= bound ? "ok" : "MISSED");
  std::fflush(stdout);
}

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_BENCH_LINE_H_
