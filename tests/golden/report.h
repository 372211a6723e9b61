// The last part of docs/validation.md: every check of a formula, with the paper's number, the
// computed one and the difference, by paper. Checks that do not reproduce are explained.
#ifndef COX_TESTS_GOLDEN_REPORT_H_
#define COX_TESTS_GOLDEN_REPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "checks.h"

namespace cox::golden {

// Why a check does not reproduce, or what reading it takes; "" for one that needs none.
absl::string_view ExplanationOf(absl::string_view id);

// How the part begins.
inline constexpr absl::string_view kArithmetic = "## Arithmetic\n";

// The part of the page. Every check has its computation.
std::string ArithmeticOf(const std::vector<Check>& checks);

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_REPORT_H_
