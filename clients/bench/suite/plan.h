// Which programs the suite runs, how large and on how many ranks. Pure, any thread.
#ifndef COX_BENCH_SUITE_PLAN_H_
#define COX_BENCH_SUITE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace cox::bench {

// One job: a program with one input.
struct Experiment {
  std::string program;     // of clients/collectives/examples
  std::string variant;     // "" where it has none
  std::string kernel;      // as `cox kernel` names it; "": priced by the messages that it sends
  int64_t word_bytes = 0;  // of a kernel's element
  // The error is that of the communication alone: the paper's choice where work is most of the
  // time.
  bool communication_only = false;
  int64_t ranks = 1;
  int64_t size = 0;
  int64_t degree = 0;      // 0: the program's own
  std::string algorithms;  // comma-separated
};

// What can be run with at most `ranks` >= 2 ranks: sizes are rounded up to what comes out even. In
// the order in which tables show them. Only `programs`, if there are any.
std::vector<Experiment> PlanSuite(int64_t ranks, bool quick,
                                  const std::vector<std::string>& programs);

// The names that PlanSuite knows.
std::vector<std::string> ProgramNames();

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_PLAN_H_
