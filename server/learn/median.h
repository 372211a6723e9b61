// The median that learning uses. Pure, any thread.
#ifndef COX_LEARN_MEDIAN_H_
#define COX_LEARN_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cox::learn {

// The upper of the two middle values where their number is even, so that the median is one of the
// values; 0 without values.
inline double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace cox::learn

#endif  // COX_LEARN_MEDIAN_H_
