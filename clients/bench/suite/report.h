// The suite's tables for people and its rows for programs. Prints to what it is given; one thread.
#ifndef COX_BENCH_SUITE_REPORT_H_
#define COX_BENCH_SUITE_REPORT_H_

#include <ostream>
#include <string>
#include <vector>

#include "bench/suite/outcome.h"

namespace cox::bench {

// The models that any outcome has something from, of those asked for; all for "all".
std::vector<std::string> ModelsOf(const std::vector<Outcome>& outcomes,
                                  const std::vector<std::string>& asked);

// Four tables: times of kernels, the largest error of each model (Juurlink and Wijshoff, Table VI),
// times of exchanges (Kale and Kumar, Tables 1 to 4), and the errors of these by route.
void PrintTables(const std::vector<Outcome>& outcomes, const std::vector<std::string>& models,
                 std::ostream& out);

// CSV with a header: a row for each measurement and model, all of them; without a model where none
// prices the algorithm.
std::string CsvOf(const std::vector<Outcome>& outcomes);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_REPORT_H_
