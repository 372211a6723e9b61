// Where a cost's parameters change: the borders between regimes of sizes (eager and rendezvous,
// say), found from how well each run of neighbouring sizes is fitted by one set of parameters. Not
// the fitting itself. Pure, any thread.
#ifndef COX_LEARN_CALIBRATE_REGIMES_H_
#define COX_LEARN_CALIBRATE_REGIMES_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"

namespace cox::learn {

inline constexpr int kMaxBorders = 3;
// A regime has at least so many different sizes: two fix a line, a third can speak against it.
inline constexpr size_t kLeastSizes = 3;

// How badly one set of parameters fits the timings of some neighbouring sizes.
struct Misfit {
  double error_sum = 0;  // of the sizes of their relative errors
  double timings = 0;
};

// The best at most kMaxBorders borders among `sizes` (different ones): each border is the index of
// the first size of a regime, ascending. `misfit(i, j)` is that of sizes i .. j - 1. The number is
// the one of the least information criterion, n ln(mean error) + k ln n for k parameters in all (G.
// Schwarz, "Estimating the dimension of a model", Annals of Statistics 6(2), 1978, for errors with
// Laplace's distribution), where each border has to reduce the mean error by a tenth as well. A
// mean error below half a percent is as good as none. O(sizes^2) misfits.
std::vector<size_t> FindBorders(size_t sizes, int parameters_per_regime,
                                absl::FunctionRef<Misfit(size_t, size_t)> misfit);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_REGIMES_H_
