// What the ranks of a persistent pattern report to the rank that decides: whom they send how many
// bytes, and how long that took. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_
#define COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/choice/cost.h"

namespace cox::collectives {

// A rank with more messages lists this many, evenly spread over its list and scaled to the same
// total bytes, and states its number of messages.
inline constexpr int kMostListed = 64;
// A rank with more messages states this number.
inline constexpr int kMostCounted = 4096;

struct PatternReports {
  std::vector<Transfer> transfers;
  double slowest_s = 0;  // the largest of the ranks' times; 0 if no rank has one
};

// A rank's report as bytes: its messages (source: itself) and the median time of its iterations, 0
// for none. Memory layout is the same on all ranks, which run the same program.
std::vector<char> WritePatternReport(std::span<const Transfer> messages, double median_s);

// Reads any number of concatenated reports. Returns false if the bytes are not reports.
bool ReadPatternReports(std::span<const char> bytes, PatternReports* reports);

// The median; of two middle values the upper one. 0 for no values.
double MedianOf(std::vector<double> values);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PATTERN_REPORT_H_
