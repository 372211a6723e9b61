// The machines of Table I of B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of
// parallel computation models, ACM TOCS 16(3), 1998, as printed; juurlink_table1.csv.
#ifndef COX_TESTS_GOLDEN_BSP_MACHINES_H_
#define COX_TESTS_GOLDEN_BSP_MACHINES_H_

#include <string>

#include "model/schedule.h"

namespace cox::golden {

// A row of Table I; us per word (g, g'), us per byte (sigma), us.
struct Machine {
  double p = 0;
  double word_bytes = 4;
  double g = 0;
  double l = 0;
  double g_scatter = 0;
  double sigma = 0;
  double ell = 0;
};

// Ends the program if the table has no such platform.
Machine MachineOf(const std::string& platform);

// The price of a schedule on this machine by the general path, in us. Local work is free.
double BspUs(const Machine& m, const model::Schedule& schedule);
double BpramUs(const Machine& m, const model::Schedule& schedule);
double EBspUs(const Machine& m, const model::Schedule& schedule);

// Section 3.1: a message of the Paragon's native library.
inline constexpr double kParagonStartupUs = 146;
// Section 3.2: g and L of the GCel for h up to 4500 words, g' for h up to 5300.
inline constexpr double kGcelShortGapUs = 172.7;
inline constexpr double kGcelShortSyncUs = 2.6e5;
inline constexpr double kGcelShortScatterUs = 87.9;

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_BSP_MACHINES_H_
