// Writers and checkers of the rows of tuning_format.cc; see TuningFormat.
#ifndef COX_LIBRARY_FORMATS_H_
#define COX_LIBRARY_FORMATS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/decision_table.h"

namespace cox::library {

// Open MPI's dynamic rules file.
absl::StatusOr<std::string> WriteOpenMpiRules(absl::Span<const DecisionTable> tables,
                                              const TunedJob& job,
                                              absl::Span<const std::string> header_lines);
std::vector<std::string> CheckOpenMpiRules(absl::string_view text, const Assumptions& assume);

// `export NAME=value` lines that force one algorithm per collective, where a table has one choice.
absl::StatusOr<std::string> WriteOpenMpiVariables(absl::Span<const DecisionTable> tables,
                                                  const TunedJob& job,
                                                  absl::Span<const std::string> header_lines);
absl::StatusOr<std::string> WriteMpichVariables(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines);

// A comment line; whatever would end it early becomes a blank.
std::string Comment(absl::string_view line);

// Whether every row says "default".
bool LeavesAllToTheLibrary(const DecisionTable& table);

}  // namespace cox::library

#endif  // COX_LIBRARY_FORMATS_H_
