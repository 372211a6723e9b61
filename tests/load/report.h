// What the programs of this folder share: a table of figures, and the end with a reason.
#ifndef COX_TESTS_LOAD_REPORT_H_
#define COX_TESTS_LOAD_REPORT_H_

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::load {

// Ends the program with status 1: RunMain() catches it, so that what was started ends before.
[[noreturn]] inline void Fail(const std::string& message) { throw std::runtime_error(message); }

// The program's status. Prints why it failed.
inline int RunMain(int (*program)(int, char**), int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 1;
  }
}

inline void PrintHead() { std::printf("| figure | value |\n|---|---|\n"); }

// A row of the table.
inline void Print(const std::string& what, const std::string& value) {
  std::printf("| %s | %s |\n", what.c_str(), value.c_str());
  std::fflush(stdout);
}

inline std::string Ms(double seconds) { return absl::StrFormat("%.1f ms", seconds * 1e3); }

// `share` of the values are at most this; 0 of none.
inline double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// Raises the limit of descriptors of this process and those that it starts. Fails without room for
// `count`.
inline void RaiseFileLimit(int count) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(count)) {
    Fail(absl::StrCat("needs ", count, " open files, and the limit is ", limit.rlim_cur,
                      "; raise it, or ask for fewer connections"));
  }
}

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_REPORT_H_
