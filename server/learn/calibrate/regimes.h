// Finds the borders between regimes of sizes, such as eager and rendezvous, where a cost's
// parameters change. It compares how well one set of parameters fits each run of neighbouring
// sizes. No fitting here. Pure, any thread.
#ifndef COX_LEARN_CALIBRATE_REGIMES_H_
#define COX_LEARN_CALIBRATE_REGIMES_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"

namespace cox::learn {

inline constexpr int kMaxBorders = 3;
// The least number of different sizes in a regime: two fix a line, a third can contradict it.
inline constexpr size_t kLeastSizes = 3;

// How badly one set of parameters fits the timings of neighbouring sizes.
struct Misfit {
  double error_sum = 0;  // of |relative error|
  double timings = 0;
};

// Returns at most kMaxBorders borders among `sizes` different sizes, ascending: each is the index
// of the first size of a regime. `misfit(i, j)` is about the sizes i .. j - 1. Chooses the number
// of borders with the least information criterion n ln(mean error) + k ln n for k parameters in all
// (G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6(2), 1978, for errors
// with Laplace's distribution). Each border must also reduce the mean error by a tenth. A mean
// error below half a percent counts as none. O(sizes^2) misfits: callers bound the sizes.
std::vector<size_t> FindBorders(size_t sizes, int parameters_per_regime,
                                absl::FunctionRef<Misfit(size_t, size_t)> misfit);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_REGIMES_H_
