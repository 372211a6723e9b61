// What the ranks of a persistent pattern tell the one that decides: whom they send how much, and
// how long it took. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_
#define COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/choice/cost.h"

namespace cox::collectives {

// A rank with more messages than this tells of so many, evenly spread over its list, that come to
// as many bytes; and that there were more.
inline constexpr int kMostListed = 64;
// More messages of a rank than this count as so many.
inline constexpr int kMostCounted = 4096;

struct PatternReports {
  std::vector<Transfer> transfers;
  double slowest_s = 0;  // of the ranks' times; 0 if no rank has one
};

// A rank's report as bytes: its messages (source: itself) and the median of its iterations' times,
// 0 for none. All ranks run the same program, so memory means the same to all.
std::vector<char> WritePatternReport(std::span<const Transfer> messages, double median_s);

// Any number of reports, one behind the other. False if they are not that.
bool ReadPatternReports(std::span<const char> bytes, PatternReports* reports);

// The middle one; the upper of two. 0 for none.
double MedianOf(std::vector<double> values);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_
