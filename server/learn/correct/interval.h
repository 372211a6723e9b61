// The width of the intervals in which 90 % of true times lie.
#ifndef COX_LEARN_CORRECT_INTERVAL_H_
#define COX_LEARN_CORRECT_INTERVAL_H_

namespace cox::learn {

// Half the width of a 90 % interval of a normal distribution, in standard deviations.
inline constexpr double kIntervalSigmas = 1.645;

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_INTERVAL_H_
