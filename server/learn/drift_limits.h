// The numbers of the test for drifts, which learn/drift.h describes: raise them for fewer false
// alarms, lower them to notice a drift sooner. Times are compared as ln(seconds).
#ifndef COX_LEARN_DRIFT_LIMITS_H_
#define COX_LEARN_DRIFT_LIMITS_H_

#include <cstddef>

namespace cox::learn {

// --- The reference that observations are compared with.
// Observations of a cell before anything is compared with them.
inline constexpr size_t kLeastReference = 5;
// The same of a station: its first observations may be of a job that is warming up.
inline constexpr size_t kLeastOfStation = 12;
// The reference learns from this many observations. Of one reporter at most kMostOfReporter of them
// count for a cell: four reporters make a reference complete, or more that observed it less often.
inline constexpr size_t kMostReference = 24;
inline constexpr size_t kMostOfReporter = 6;
// How far reporters are apart is known from kFewParts reporters, each with at least kFewOfPart
// observations of the cell.
inline constexpr size_t kFewOfPart = 3;
inline constexpr size_t kFewParts = 3;

// --- A slow or fast observation.
// It deviates from the reference's median by at least this, and by a standard deviation.
inline constexpr double kLeastDeviation = 0.05;
// The least standard deviation: timings may agree better by chance.
inline constexpr double kLeastReferenceSigma = 0.03;
// And by this much more than the upper quartile of the reporters' distances from the median: two
// jobs in succession rarely lie so far out on the same side.
inline constexpr double kFartherThanReporters = 2.5;
// An observation by another reporter than the only one in an incomplete reference deviates by at
// least this: nobody knows yet how far reporters are apart.
inline constexpr double kLeastBetweenReporters = 0.25;

// --- The sum of a stream.
// What a slow observation adds, and what any other subtracts.
inline constexpr int kDriftUp = 1;
inline constexpr int kDriftDown = 3;
// The sum that is a drift if several reporters saw it.
inline constexpr int kDriftThreshold = 60;
// The sum that is a drift if one reporter saw it: its own trouble seldom lasts so long.
inline constexpr int kDriftThresholdAlone = 100;
// Observations that make a reporter count.
inline constexpr int kFewOfReporter = 10;

// --- After a drift.
// The standard deviation that a drift adds to what earlier observations say.
inline constexpr double kAgedSigma = 0.3;

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_LIMITS_H_
