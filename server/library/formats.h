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
absl::StatusOr<std::string> WriteOpenMpi50Rules(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines);
// As 4.1.4 reads it, and as 5.0 does.
std::vector<std::string> CheckOpenMpiRules(absl::string_view text, const Assumptions& assume);
std::vector<std::string> CheckOpenMpi50Rules(absl::string_view text, const Assumptions& assume);

// `export NAME=value` lines that force one algorithm per collective, where a table has one choice.
// Of 5.0: they take component han out of the way as well, which comes before tuned there.
absl::StatusOr<std::string> WriteOpenMpiVariables(absl::Span<const DecisionTable> tables,
                                                  const TunedJob& job,
                                                  absl::Span<const std::string> header_lines);
absl::StatusOr<std::string> WriteOpenMpi50Variables(absl::Span<const DecisionTable> tables,
                                                    const TunedJob& job,
                                                    absl::Span<const std::string> header_lines);
std::vector<std::string> CheckOpenMpiVariables(absl::string_view text, const Assumptions& assume);
std::vector<std::string> CheckOpenMpi50Variables(absl::string_view text, const Assumptions& assume);
absl::StatusOr<std::string> WriteMpichVariables(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines);
std::vector<std::string> CheckMpichVariables(absl::string_view text, const Assumptions& assume);
std::vector<std::string> CheckMvapichVariables(absl::string_view text, const Assumptions& assume);

// MPICH 4.0's selection file: the library's own tree with the job's choices in it. See
// mpich_tree.h.
absl::StatusOr<std::string> WriteMpichJson(absl::Span<const DecisionTable> tables,
                                           const TunedJob& job,
                                           absl::Span<const std::string> header_lines);
std::vector<std::string> CheckMpichJson(absl::string_view text, const Assumptions& assume);

// A comment line; whatever would end it early becomes a blank.
std::string Comment(absl::string_view line);

// Whether every row says "default".
bool LeavesAllToTheLibrary(const DecisionTable& table);

}  // namespace cox::library

#endif  // COX_LIBRARY_FORMATS_H_
