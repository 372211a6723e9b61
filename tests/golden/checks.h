// The checks against the papers. Each row of golden_checks.csv has the paper's value and the
// expected result, and a computation that gives ours. A computation never reads its row.
#ifndef COX_TESTS_GOLDEN_CHECKS_H_
#define COX_TESTS_GOLDEN_CHECKS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::golden {

// Most quantities are one number; a few are a list.
using Quantity = std::vector<double>;

struct Computation {
  absl::string_view id;
  Quantity (*compute)();  // in the row's unit
};

// By paper: one file each.
absl::Span<const Computation> C3Computations();
absl::Span<const Computation> AlphaBetaComputations();
absl::Span<const Computation> BspComputations();
absl::Span<const Computation> HyperbolicComputations();
absl::Span<const Computation> ClusterComputations();

// The expected result of a row.
enum class Status {
  kReproduced,
  kWithReading,    // reproduced with a stated reading of an unclear passage
  kNotReproduced,  // the formula gives another number than the paper prints
  kNoInputs,       // the paper does not print an input; for information
};

struct Check {
  std::string id;
  std::string quantity;
  std::string inputs;
  Quantity expected;
  std::string expected_text;
  std::string unit;
  double tolerance = 0;
  bool published = false;  // printed in the paper; otherwise it follows from what is
  Status status = Status::kReproduced;
  double formula_value = 0;  // the formula's value, for rows that are not reproduced
  std::string source;
  Quantity (*compute)() = nullptr;  // null: nothing computes this id
};

// All rows, in the file's order.
std::vector<Check> Checks();

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_CHECKS_H_
