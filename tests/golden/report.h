// docs/validation.md: every check against the papers, with the paper's number, ours and the
// difference, grouped by paper; those that do not reproduce explained.
#ifndef COX_TESTS_GOLDEN_REPORT_H_
#define COX_TESTS_GOLDEN_REPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "checks.h"

namespace cox::golden {

// Why a check does not reproduce, or what reading it takes; "" for one that needs none.
absl::string_view ExplanationOf(absl::string_view id);

// The whole page. Every check has its computation.
std::string ReportOf(const std::vector<Check>& checks);

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_REPORT_H_
