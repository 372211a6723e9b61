#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/coxcoll_costs.h"
#include "domain/coxcoll_decisions.h"
#include "domain/coxcoll_lines.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/run_time_number.h"

namespace cox::library {
namespace {

using domain::Decisions;

// Whether all ranks know the size that decides.
bool IsDecidedBySize(domain::Collective collective) {
  return collective != domain::Collective::kAlltoallv;
}

// "" if words[3] of a `decide` line that the parser took is an algorithm of words[1].
std::string CheckAlgorithm(const std::vector<std::string>& words) {
  if (words[0] != Decisions::kDecideWord || words[3] == Decisions::kNoDecision) return "";
  const auto collective = domain::ParseCollective(words[1]);
  if (collective.ok() && FindAlgorithm(kCoxcoll, *collective, words[3]) != nullptr) return "";
  return absl::StrCat("\"", words[3], "\" is not an algorithm of ", words[1]);
}

}  // namespace

absl::StatusOr<std::string> WriteCoxcoll(absl::Span<const DecisionTable> tables,
                                         const TunedJob& job,
                                         absl::Span<const std::string> header_lines) {
  std::string text = Header(header_lines);
  absl::StrAppend(&text, Decisions::kRanksWord, " ", job.ranks(), "\n");
  for (const DecisionTable& table : tables) {
    const auto collective = domain::ParseCollective(table.collective);
    if (!collective.ok()) return collective.status();
    if (!IsDecidedBySize(*collective)) {
      text += Comment(absl::StrCat(table.collective, ": no size that all ranks know"));
      continue;
    }
    for (const DecisionRow& row : table.rows) {
      absl::StrAppend(&text, Decisions::kDecideWord, " ", table.collective, " ", row.block_bytes,
                      " ", row.algorithm, "\n");
    }
  }
  return text;
}

// Refuses everything that libcoxcoll refuses, because both read lines with the same functions, and
// algorithms that libcoxcoll refuses only when a call needs them.
std::vector<std::string> CheckCoxcoll(absl::string_view text, const Assumptions& /*assume*/) {
  domain::CostProfile costs;
  Decisions decisions;
  std::vector<std::string> findings =
      domain::ReadLines({text.data(), text.size()}, [&](const std::vector<std::string>& words) {
        std::string wrong = domain::ReadCostLine(words, &costs);
        if (wrong.empty()) wrong = domain::ReadDecisionLine(words, &decisions);
        return wrong.empty() ? CheckAlgorithm(words) : wrong;
      });
  if (decisions.ranks() == 0) {
    findings.push_back(
        absl::StrCat("no line says ", Decisions::kRanksWord, ": no decision is taken"));
  }
  return findings;
}

}  // namespace cox::library
