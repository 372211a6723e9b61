#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/run_time_number.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

constexpr absl::string_view kRanks = "decided_ranks";
constexpr absl::string_view kDecide = "decide";

// Where all ranks know the size that decides.
bool IsDecidedBySize(domain::Collective collective) {
  return collective != domain::Collective::kAlltoallv;
}

// "" for a line that is right.
std::string CheckDecision(const std::vector<absl::string_view>& words,
                          std::map<std::string, int64_t>* last_bytes) {
  if (words.size() != 4) return "decide needs a collective, a size in bytes and an algorithm";
  const auto collective = domain::ParseCollective(words[1]);
  if (!collective.ok() || !Lists(kOwnLibrary, *collective) || !IsDecidedBySize(*collective)) {
    return absl::StrCat("\"", words[1], "\" is no operation that is decided by a size");
  }
  int64_t bytes = -1;
  if (!absl::SimpleAtoi(words[2], &bytes) || bytes < 0) {
    return absl::StrCat("\"", words[2], "\" is no size in bytes");
  }
  if (words[3] != "default" && FindAlgorithm(kOwnLibrary, *collective, words[3]) == nullptr) {
    return absl::StrCat("\"", words[3], "\" is no algorithm of ", words[1]);
  }
  const auto [last, is_first] = last_bytes->try_emplace(std::string(words[1]), bytes);
  if (!is_first && bytes <= last->second) {
    return absl::StrCat("the sizes of ", words[1], " must ascend");
  }
  last->second = bytes;
  return "";
}

}  // namespace

absl::StatusOr<std::string> WriteCoxcoll(absl::Span<const DecisionTable> tables,
                                         const TunedJob& job,
                                         absl::Span<const std::string> header_lines) {
  std::string text = Header(header_lines);
  absl::StrAppend(&text, kRanks, " ", job.ranks(), "\n");
  for (const DecisionTable& table : tables) {
    const auto collective = domain::ParseCollective(table.collective);
    if (!collective.ok()) return collective.status();
    if (!IsDecidedBySize(*collective)) {
      text += Comment(absl::StrCat(table.collective, ": no size that all ranks know"));
      continue;
    }
    for (const DecisionRow& row : table.rows) {
      absl::StrAppend(&text, kDecide, " ", table.collective, " ", row.block_bytes, " ",
                      row.algorithm, "\n");
    }
  }
  return text;
}

std::vector<std::string> CheckCoxcoll(absl::string_view text, const Assumptions& /*assume*/) {
  std::vector<std::string> findings;
  std::map<std::string, int64_t> last_bytes;
  bool has_ranks = false;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    std::string wrong;
    if (words[0] == kRanks) {
      int64_t ranks = 0;
      has_ranks = words.size() == 2 && absl::SimpleAtoi(words[1], &ranks) && ranks >= 1;
      if (!has_ranks) wrong = absl::StrCat(kRanks, " needs one whole number of at least 1");
    } else if (words[0] == kDecide) {
      wrong = CheckDecision(words, &last_bytes);
    }
    if (!wrong.empty()) findings.push_back(absl::StrCat("line ", number, ": ", wrong));
  }
  if (!has_ranks) {
    findings.push_back(absl::StrCat("no line says ", kRanks, ": no decision is taken"));
  }
  return findings;
}

}  // namespace cox::library
