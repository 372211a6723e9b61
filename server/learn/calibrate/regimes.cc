#include "learn/calibrate/regimes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cox::learn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNegligibleError = 0.005;
constexpr double kWorthwhile = 0.9;

// The least error of the sizes 0 .. end - 1 with a number of regimes, and where the last one
// begins.
struct Best {
  double error_sum = kInfinity;
  size_t last_begin = 0;
};

}  // namespace

std::vector<size_t> FindBorders(size_t sizes, int parameters_per_regime,
                                absl::FunctionRef<Misfit(size_t, size_t)> misfit) {
  if (sizes < 2 * kLeastSizes) return {};
  double timings = 0;
  std::vector<std::vector<double>> error(sizes, std::vector<double>(sizes + 1, kInfinity));
  for (size_t i = 0; i < sizes; ++i) {
    for (size_t j = i + kLeastSizes; j <= sizes; ++j) {
      const Misfit found = misfit(i, j);
      error[i][j] = found.error_sum;
      if (i == 0 && j == sizes) timings = found.timings;
    }
  }
  // Bellman's recursion over the last regime.
  std::vector<std::vector<Best>> best(kMaxBorders + 1, std::vector<Best>(sizes + 1));
  for (size_t end = 0; end <= sizes; ++end) best[0][end] = {error[0][end], 0};
  for (int borders = 1; borders <= kMaxBorders; ++borders) {
    for (size_t end = 0; end <= sizes; ++end) {
      for (size_t begin = kLeastSizes; begin + kLeastSizes <= end; ++begin) {
        const double sum = best[borders - 1][begin].error_sum + error[begin][end];
        if (sum < best[borders][end].error_sum) best[borders][end] = {sum, begin};
      }
    }
  }
  int chosen = 0;
  double chosen_criterion = kInfinity;
  double allowed = kInfinity;
  for (int borders = 0; borders <= kMaxBorders; ++borders) {
    const double mean = best[borders][sizes].error_sum / timings;
    if (!(mean < kInfinity)) break;
    const double parameters = parameters_per_regime * (borders + 1) + borders;
    const double criterion =
        timings * std::log(mean + kNegligibleError) + parameters * std::log(timings);
    const double floored = mean + kNegligibleError;
    if (criterion < chosen_criterion &&
        floored < allowed * std::pow(kWorthwhile, borders - chosen)) {
      chosen = borders;
      chosen_criterion = criterion;
      allowed = floored;
    }
  }
  std::vector<size_t> found;
  size_t end = sizes;
  for (int borders = chosen; borders > 0; --borders) {
    end = best[borders][end].last_begin;
    found.push_back(end);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace cox::learn
