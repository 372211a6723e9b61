// What a cell says about a time, whoever reported into it: location and spread of the logarithms of
// its observations by a redescending M-estimate, so that reports which the others contradict have
// no influence, however wrong and in whatever order. Each observation counts once, whatever count
// it claims, so that no reporter outvotes others but by reporting more often than they.
//
// Tukey's biweight with c = 4.685 (95 % efficiency for normal errors) around the median, scaled by
// the MAD (Huber, Ronchetti, "Robust Statistics", 2nd ed., 2009, sections 4.8 and 5.1), the MAD
// made consistent for few observations (Croux, Rousseeuw, "Time-efficient algorithms for two highly
// robust estimators of scale", 1992, section 2). Pure, any thread.
#ifndef COX_LEARN_ROBUST_H_
#define COX_LEARN_ROBUST_H_

#include "absl/types/span.h"

namespace cox::learn {

// Observations that lie close together.
struct LogBin {
  double log_time = 0;  // their mean, ln(seconds)
  double count = 0;     // observations, > 0
  double squares = 0;   // of their deviations from log_time, summed up
};

struct RobustLocation {
  double log_time = 0;
  double variance = 0;  // of one observation that belongs to the rest; 0: there is only one
  double share = 0;     // of the observations that belong to the rest, 0..1
};

// `bins` in order of log_time; none: all zero.
RobustLocation LocationOf(absl::Span<const LogBin> bins);

// Whether an observation is none of those at `location`, which is that of `count` observations:
// never where they are too few to tell.
bool IsContradicted(const RobustLocation& location, double count, double log_time);

}  // namespace cox::learn

#endif  // COX_LEARN_ROBUST_H_
