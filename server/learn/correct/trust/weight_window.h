// A sliding window over values with weights, which tells how much weight lies below or above a
// limit. It is a binary indexed tree over the ranks of all values (P. M. Fenwick, "A new data
// structure for cumulative frequency tables", Software: Practice and Experience 24(3), 1994). One
// thread.
#ifndef COX_LEARN_CORRECT_TRUST_WEIGHT_WINDOW_H_
#define COX_LEARN_CORRECT_TRUST_WEIGHT_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cox::learn {

class WeightWindow {
 public:
  // `values`: all that may enter the window, by index. The window is empty. O(n log n).
  explicit WeightWindow(const std::vector<double>& values);

  // Enters values[index] with a weight, or takes the weight away again if it is negative. O(log n).
  void Add(size_t index, double weight);

  // The weight in the window of values < limit, or > limit. O(log n).
  double Below(double limit);
  double Above(double limit);

  // How many elements all calls have visited: a measure of cost without a clock.
  int64_t visited_count() const { return visited_count_; }

 private:
  double SumOfFirst(size_t count);

  std::vector<double> sorted_;
  std::vector<size_t> rank_;  // by index
  std::vector<double> tree_;  // from 1
  double total_ = 0;
  int64_t visited_count_ = 0;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_TRUST_WEIGHT_WINDOW_H_
