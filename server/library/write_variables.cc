#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/mpich/split.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

// Why this table cannot become one forced algorithm; "" if it can.
std::string WhyNotForced(const DecisionTable& table, const TunedJob& job,
                         domain::Collective collective) {
  if (LeavesAllToTheLibrary(table)) return "the library's own choice stays";
  if (table.rows.size() > 1) {
    return absl::StrCat(table.rows.size(), " choices by size; a variable can force only one");
  }
  const Algorithm* row = FindAlgorithm(job.library, collective, table.rows[0].algorithm);
  if (row != nullptr && (row->needs & kTwoRanks) != 0) {
    return absl::StrCat(row->native_name, " fails in communicators of more than two ranks");
  }
  if (row != nullptr && (row->needs & kAbortsElsewhere) != 0) {
    return absl::StrCat(row->native_name, " aborts in communicators of other sizes");
  }
  return "";
}

std::string OpenMpiVariables(const DecisionTable& table) {
  const DecisionRow& row = table.rows.front();
  const std::string stem =
      absl::StrCat("export OMPI_MCA_coll_tuned_", table.collective, "_algorithm");
  std::string text = absl::StrCat(stem, "=", row.native_id, "\n");
  if (row.segment_bytes > 0) absl::StrAppend(&text, stem, "_segmentsize=", row.segment_bytes, "\n");
  if (row.fanout > 0) absl::StrAppend(&text, stem, "_chain_fanout=", row.fanout, "\n");
  return text;
}

std::string WhyNotForcedInMpich(const DecisionTable& table, const TunedJob& job,
                                domain::Collective collective) {
  std::string why = WhyNotForced(table, job, collective);
  if (why.empty() && IsSplitByMpich(collective, job)) why = std::string(kWhyMpichSplits);
  return why;
}

std::string MpichVariable(const DecisionTable& table) {
  return absl::StrCat("export MPIR_CVAR_", absl::AsciiStrToUpper(table.collective),
                      "_INTRA_ALGORITHM=", table.rows.front().algorithm, "\n");
}

std::string Variables(absl::Span<const DecisionTable> tables, const TunedJob& job,
                      std::string (*variables_of)(const DecisionTable& table),
                      std::string (*why_not)(const DecisionTable& table, const TunedJob& job,
                                             domain::Collective collective) = WhyNotForced) {
  std::string text;
  for (const DecisionTable& table : tables) {
    const std::string why = why_not(table, job, *domain::ParseCollective(table.collective));
    text += why.empty() ? variables_of(table) : Comment(absl::StrCat(table.collective, ": ", why));
  }
  return text;
}

std::string CrayVariable(const DecisionTable& table) {
  const std::string& algorithm = table.rows.front().algorithm;
  if (algorithm != "no_smp") {
    return Comment(absl::StrCat(table.collective, ": no switch chooses ", algorithm));
  }
  return absl::StrCat("export MPICH_", absl::AsciiStrToUpper(table.collective), "_NO_SMP=1\n");
}

}  // namespace

absl::StatusOr<std::string> WriteOpenMpiVariables(absl::Span<const DecisionTable> tables,
                                                  const TunedJob& job,
                                                  absl::Span<const std::string> header_lines) {
  return absl::StrCat(Header(header_lines), "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n",
                      Variables(tables, job, OpenMpiVariables));
}

absl::StatusOr<std::string> WriteOpenMpi50Variables(absl::Span<const DecisionTable> tables,
                                                    const TunedJob& job,
                                                    absl::Span<const std::string> header_lines) {
  std::string text = Header(header_lines);
  const std::string forced = Variables(tables, job, OpenMpiVariables);
  if (absl::StrContains(forced, "export ")) {
    // Priority 0 leaves all collectives to tuned. On one node han disables itself.
    absl::StrAppend(&text, Comment("on several nodes component han would come before tuned"),
                    "export OMPI_MCA_coll_han_priority=0\n");
  }
  return absl::StrCat(text, "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n", forced);
}

absl::StatusOr<std::string> WriteMpichVariables(absl::Span<const DecisionTable> tables,
                                                const TunedJob& job,
                                                absl::Span<const std::string> header_lines) {
  return absl::StrCat(Header(header_lines),
                      Variables(tables, job, MpichVariable, WhyNotForcedInMpich));
}

absl::StatusOr<std::string> WriteCrayMpich(absl::Span<const DecisionTable> tables,
                                           const TunedJob& job,
                                           absl::Span<const std::string> header_lines) {
  return absl::StrCat(Header(header_lines),
                      Comment("Cray MPICH documents no choice of algorithms, only these switches"),
                      Variables(tables, job, CrayVariable));
}

}  // namespace cox::library
