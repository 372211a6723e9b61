// The suite's tables for people and its CSV rows for programs. One thread.
#ifndef COX_BENCH_SUITE_REPORT_H_
#define COX_BENCH_SUITE_REPORT_H_

#include <ostream>
#include <string>
#include <vector>

#include "bench/suite/outcome.h"

namespace cox::bench {

// The models among `asked` ("all": any model) that predict anything in any outcome.
std::vector<std::string> ModelsOf(const std::vector<Outcome>& outcomes,
                                  const std::vector<std::string>& asked);

// Four tables: times of kernels, the largest error of each model (Juurlink and Wijshoff, Table VI),
// times of exchanges (Kale and Kumar, Tables 1 to 4), and the errors of these by route.
void PrintTables(const std::vector<Outcome>& outcomes, const std::vector<std::string>& models,
                 std::ostream& out);

// CSV with a header: a row for each measurement and model. If no model prices the algorithm, one
// row without a model.
std::string CsvOf(const std::vector<Outcome>& outcomes);

}  // namespace cox::bench

#endif  // COX_BENCH_SUITE_REPORT_H_
