// Writers and checkers of the rows of tuning_format.cc; see TuningFormat.
#ifndef COX_LIBRARY_FORMATS_H_
#define COX_LIBRARY_FORMATS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/collective.h"
#include "library/decision_table.h"

namespace cox::library {

// Open MPI's dynamic rules file.
absl::StatusOr<std::string> WriteOpenMpiRules(absl::Span<const DecisionTable> tables,
                                              const TunedJob& job,
                                              absl::Span<const std::string> header_lines);
absl::StatusOr<std::string> WriteOpenMpi50Rules(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines);
// Checks the text as 4.1.4 reads it, and as 5.0 does.
std::vector<std::string> CheckOpenMpiRules(absl::string_view text, const Assumptions& assume);
std::vector<std::string> CheckOpenMpi50Rules(absl::string_view text, const Assumptions& assume);

// `export NAME=value` lines that force one algorithm per collective, where a table has one choice.
// For 5.0 they also disable component han, which precedes tuned there.
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
// mpich/tree.h.
absl::StatusOr<std::string> WriteMpichJson(absl::Span<const DecisionTable> tables,
                                           const TunedJob& job,
                                           absl::Span<const std::string> header_lines);
std::vector<std::string> CheckMpichJson(absl::string_view text, const Assumptions& assume);
// Not where ranks may see different sizes, or none.
bool MpichJsonTellsSizesApart(domain::Collective collective);
bool IntelMpiTellsSizesApart(domain::Collective collective);
bool UccTellsSizesApart(domain::Collective collective);

// Switches only: Cray documents no setting that chooses an algorithm.
absl::StatusOr<std::string> WriteCrayMpich(absl::Span<const DecisionTable> tables,
                                           const TunedJob& job,
                                           absl::Span<const std::string> header_lines);
std::vector<std::string> CheckCrayMpich(absl::string_view text, const Assumptions& assume);

// I_MPI_ADJUST_<op> with ranges of bytes, for this job's number of processes.
absl::StatusOr<std::string> WriteIntelMpi(absl::Span<const DecisionTable> tables,
                                          const TunedJob& job,
                                          absl::Span<const std::string> header_lines);
std::vector<std::string> CheckIntelMpi(absl::string_view text, const Assumptions& assume);

// UCC_TL_UCP_TUNE, for teams of this job's size.
absl::StatusOr<std::string> WriteUcc(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                     absl::Span<const std::string> header_lines);
std::vector<std::string> CheckUcc(absl::string_view text, const Assumptions& assume);

// Lines of the file that COX_COLL_PROFILE names (domain/coxcoll_decisions.h), for
// communicators of this job's size. Lines of costs may stand beside them.
absl::StatusOr<std::string> WriteCoxcoll(absl::Span<const DecisionTable> tables,
                                         const TunedJob& job,
                                         absl::Span<const std::string> header_lines);
std::vector<std::string> CheckCoxcoll(absl::string_view text, const Assumptions& assume);

// The rows of NCCL's sample tuner plugin, for this job's nodes and ranks.
absl::StatusOr<std::string> WriteNcclRows(absl::Span<const DecisionTable> tables,
                                          const TunedJob& job,
                                          absl::Span<const std::string> header_lines);
std::vector<std::string> CheckNcclRows(absl::string_view text, const Assumptions& assume);

// The lines as comments.
std::string Header(absl::Span<const std::string> header_lines);

// A comment line; characters that would end it early become blanks.
std::string Comment(absl::string_view line);

// Whether every row says "default".
bool LeavesAllToTheLibrary(const DecisionTable& table);

}  // namespace cox::library

#endif  // COX_LIBRARY_FORMATS_H_
