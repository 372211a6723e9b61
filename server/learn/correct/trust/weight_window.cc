#include "learn/correct/trust/weight_window.h"

#include <algorithm>

namespace cox::learn {

WeightWindow::WeightWindow(const std::vector<double>& values)
    : sorted_(values), rank_(values.size()), tree_(values.size() + 1, 0) {
  std::sort(sorted_.begin(), sorted_.end());
  for (size_t i = 0; i < values.size(); ++i) {
    rank_[i] = static_cast<size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), values[i]) -
                                   sorted_.begin());
  }
}

void WeightWindow::Add(size_t index, double weight) {
  total_ += weight;
  for (size_t node = rank_[index] + 1; node < tree_.size(); node += node & (~node + 1)) {
    tree_[node] += weight;
    ++visited_count_;
  }
}

double WeightWindow::SumOfFirst(size_t count) {
  double sum = 0;
  for (size_t node = count; node > 0; node -= node & (~node + 1)) {
    sum += tree_[node];
    ++visited_count_;
  }
  return sum;
}

double WeightWindow::Below(double limit) {
  return SumOfFirst(static_cast<size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), limit) -
                                        sorted_.begin()));
}

double WeightWindow::Above(double limit) {
  return total_ - SumOfFirst(static_cast<size_t>(
                      std::upper_bound(sorted_.begin(), sorted_.end(), limit) - sorted_.begin()));
}

}  // namespace cox::learn
