// A cell's time, robust against false reports: location and spread of the logarithms of its
// observations by a redescending M-estimate. Reports that the others contradict have no influence,
// however wrong they are and in any order. Each observation counts once, for any count that it
// claims: a reporter outvotes others only by reporting more often.
//
// The estimate is Tukey's biweight with c = 4.685 around the median, scaled by the MAD (Huber,
// Ronchetti, "Robust Statistics", 2nd ed., 2009, sections 4.8 and 5.1). Its efficiency for normal
// errors is 95 %. A factor makes the MAD consistent for few observations (Croux, Rousseeuw,
// "Time-efficient algorithms for two highly robust estimators of scale", 1992, section 2). Pure,
// any thread.
#ifndef COX_LEARN_ROBUST_LOCATION_H_
#define COX_LEARN_ROBUST_LOCATION_H_

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
  double variance = 0;  // of one observation without contradicted ones; 0: there is only one
  double share = 0;     // of the observations that are not contradicted, 0..1
};

// `bins` in the order of log_time. All 0 without bins.
RobustLocation LocationOf(absl::Span<const LogBin> bins);

// Whether `count` observations with this location contradict a time. Fewer than four never do.
bool IsContradicted(const RobustLocation& location, double count, double log_time);

}  // namespace cox::learn

#endif  // COX_LEARN_ROBUST_LOCATION_H_
