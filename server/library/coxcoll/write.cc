#include <cstdint>
#include <string>
#include <string_view>
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
#include "topology/roots.h"

namespace cox::library {
namespace {

using domain::Decisions;

// Whether all ranks know the size that decides.
bool IsDecidedBySize(domain::Collective collective) {
  return collective != domain::Collective::kAlltoallv;
}

// Trees that libcoxcoll refuses with other numbers of ranks. It takes a window that is too wide.
struct RankNeed {
  uint32_t bit;
  bool (*holds)(int64_t ranks);
};
constexpr RankNeed kRankNeeds[] = {{kSquareRanks, topology::IsSquare},
                                   {kFourthPowerRanks, topology::IsFourthPower}};

// The number of ranks that the whole text decides for; 0 if it states none.
int64_t DecidedRanks(std::string_view text) {
  Decisions decisions;
  domain::ReadLines(text, [&](const std::vector<std::string>& words) {
    return domain::ReadDecisionLine(words, &decisions);
  });
  return decisions.ranks();
}

// "" if words[3] of a `decide` line that the parser took is an algorithm of words[1] that runs with
// `ranks` ranks. ranks = 0: any number.
std::string CheckAlgorithm(const std::vector<std::string>& words, int64_t ranks) {
  if (words[0] != Decisions::kDecideWord || words[3] == Decisions::kNoDecision) return "";
  const auto collective = domain::ParseCollective(words[1]);
  const Algorithm* row = collective.ok() ? FindAlgorithm(kCoxcoll, *collective, words[3]) : nullptr;
  if (row == nullptr) return absl::StrCat("\"", words[3], "\" is not an algorithm of ", words[1]);
  for (const RankNeed& need : kRankNeeds) {
    if (ranks > 0 && (row->needs & need.bit) != 0 && !need.holds(ranks)) {
      return absl::StrCat("\"", words[3], "\" needs ", DescribeNeeds(need.bit), "; ",
                          Decisions::kRanksWord, " is ", ranks);
    }
  }
  return "";
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
  const int64_t ranks = DecidedRanks({text.data(), text.size()});
  domain::CostProfile costs;
  Decisions decisions;
  std::vector<std::string> findings =
      domain::ReadLines({text.data(), text.size()}, [&](const std::vector<std::string>& words) {
        std::string wrong = domain::ReadCostLine(words, &costs);
        if (wrong.empty()) wrong = domain::ReadDecisionLine(words, &decisions);
        return wrong.empty() ? CheckAlgorithm(words, ranks) : wrong;
      });
  if (ranks == 0) {
    findings.push_back(
        absl::StrCat("no line says ", Decisions::kRanksWord, ": no decision is taken"));
  }
  return findings;
}

}  // namespace cox::library
