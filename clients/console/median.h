// The median of numbers. Pure, any thread.
#ifndef COX_CONSOLE_MEDIAN_H_
#define COX_CONSOLE_MEDIAN_H_

#include <vector>

namespace cox::console {

// Of an even number of values the mean of the middle two; 0 without values. None is NaN.
double MedianOf(std::vector<double> values);

}  // namespace cox::console

#endif  // COX_CONSOLE_MEDIAN_H_
