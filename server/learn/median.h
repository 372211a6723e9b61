// The median as learning takes it. Pure, any thread.
#ifndef COX_LEARN_MEDIAN_H_
#define COX_LEARN_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cox::learn {

// The upper one of two in the middle, so that it is one of the values; 0 of nothing.
inline double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace cox::learn

#endif  // COX_LEARN_MEDIAN_H_
