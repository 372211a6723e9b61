#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/openmpi/rules.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using domain::Collective;

// The numbers of a file as written.
struct Written {
  int64_t number_count = 0;
  std::vector<std::pair<int64_t, std::string>> not_decimal;  // line, text
  std::vector<int64_t> stray_lines;  // with other text than numbers outside comments
};

Written ScanNumbers(absl::string_view text) {
  Written written;
  int64_t line = 1;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (text[i] == '\n') ++line;
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      const bool is_stray = std::isspace(static_cast<unsigned char>(text[i])) == 0;
      if (is_stray && (written.stray_lines.empty() || written.stray_lines.back() != line)) {
        written.stray_lines.push_back(line);
      }
      ++i;
      continue;
    }
    const size_t start = i;
    const bool hex = text[i] == '0' && i + 1 < text.size() && (text[i + 1] | 0x20) == 'x';
    if (hex) i += 2;
    while (i < text.size() && (hex ? std::isxdigit(static_cast<unsigned char>(text[i]))
                                   : std::isdigit(static_cast<unsigned char>(text[i])))) {
      ++i;
    }
    ++written.number_count;
    if (text[start] == '0' && i - start > 1) {
      written.not_decimal.emplace_back(line, std::string(text.substr(start, i - start)));
    }
  }
  return written;
}

// Checks the rules of one collective against the library's algorithms for it.
class CollectiveCheck {
 public:
  CollectiveCheck(absl::string_view library, const OpenMpiCollectiveRules& rules,
                  const Assumptions& assume, std::vector<std::string>* findings)
      : library_(library),
        rules_(rules),
        name_(OpenMpiCollectiveName(rules.collective_id)),
        assume_(assume),
        findings_(*findings) {
    const auto collective = domain::ParseCollective(name_);
    if (!collective.ok()) return;
    collective_ = *collective;
    for (const Algorithm& row : AlgorithmsOf(library)) {
      if (row.collective == collective_) last_algorithm_ = std::max(last_algorithm_, row.native_id);
    }
  }

  void Run() {
    if (last_algorithm_ == 0 && !rules_.sets.empty()) {
      Find("the library has no algorithms to choose from: these rules have no effect; remove them");
      return;
    }
    for (size_t i = 0; i < rules_.sets.size(); ++i) CheckSet(i);
  }

 private:
  void Find(absl::string_view what) { findings_.push_back(absl::StrCat(name_, ": ", what)); }

  void CheckSet(size_t i) {
    const OpenMpiRuleSet& set = rules_.sets[i];
    const std::string where = absl::StrCat("communicator size ", set.comm_size);
    if (i > 0 && set.comm_size <= rules_.sets[i - 1].comm_size) {
      Find(absl::StrCat(
          where, " after ", rules_.sets[i - 1].comm_size,
          ": sizes must ascend, the library stops at the first larger one; sort them"));
    }
    if (i + 1 < rules_.sets.size() && set.comm_size < 2 && rules_.sets[i + 1].comm_size == 2) {
      Find(absl::StrCat(where,
                        ": can never match, no smaller communicator than 2 is tuned; "
                        "remove it"));
    }
    const absl::string_view why_one_row =
        collective_.has_value() ? WhyOneOpenMpiRow(*collective_) : "";
    if (!why_one_row.empty() && set.rules.size() > 1) {
      Find(absl::StrCat(where, ": more than one row, but ", why_one_row, "; keep the first only"));
    }
    for (size_t j = 0; j < set.rules.size(); ++j) {
      if (j > 0 && set.rules[j].message_bytes <= set.rules[j - 1].message_bytes) {
        Find(absl::StrCat(
            where, ": message size ", set.rules[j].message_bytes, " after ",
            set.rules[j - 1].message_bytes,
            ": sizes must ascend, the library stops at the first larger one; sort the rows"));
      }
      CheckAlgorithm(i, set.rules[j].algorithm, where);
    }
  }

  void CheckAlgorithm(size_t i, int64_t algorithm, absl::string_view where) {
    if (algorithm == 0) return;
    if (algorithm > last_algorithm_) {
      Find(absl::StrCat(where, ": algorithm ", algorithm, " does not exist (1 to ", last_algorithm_,
                        "): calls that meet this row fail"));
      return;
    }
    const int64_t comm_size = rules_.sets[i].comm_size;
    if (i == 0 && comm_size > 2) {
      Find(absl::StrCat(
          where, " comes first, so algorithm ", algorithm,
          " also runs in smaller communicators; put size 2 with \"0 0 0 0\" before it"));
    }
    const Algorithm* row = FindNativeAlgorithm(library_, *collective_, static_cast<int>(algorithm));
    if (row == nullptr) return;
    if ((row->needs & kTwoRanks) != 0) {
      const bool ends_at_three = i + 1 < rules_.sets.size() && rules_.sets[i + 1].comm_size == 3;
      if (comm_size != 2 || !ends_at_three) {
        Find(absl::StrCat(
            where, ": algorithm ", algorithm,
            " fails unless there are exactly two ranks, and other communicators meet this entry; "
            "put it at size 2 and let size 3 follow"));
      }
    }
    if (!assume_.commutative && !row->safe_for_any_operation) {
      Find(absl::StrCat(where, ": algorithm ", algorithm,
                        " gives wrong results for operations that do not commute; choose another, "
                        "or promise that all commute (--assume commutative)"));
    }
  }

  absl::string_view library_;
  const OpenMpiCollectiveRules& rules_;
  absl::string_view name_;
  const Assumptions& assume_;
  std::vector<std::string>& findings_;
  std::optional<Collective> collective_;
  int last_algorithm_ = 0;  // 0: none
};

// "line 7: ...", about numbers that are not read as decimal.
void FindWritingMistakes(const Written& written, std::vector<std::string>* findings) {
  for (const auto& [line, number] : written.not_decimal) {
    findings->push_back(absl::StrCat("line ", line, ": ", number,
                                     " is not read as decimal (a leading 0 means octal); write it "
                                     "without the leading 0"));
  }
  for (int64_t line : written.stray_lines) {
    findings->push_back(
        absl::StrCat("line ", line,
                     ": only numbers count, other characters outside comments are skipped one by "
                     "one, and a digit in a word is read as a number; put # before words"));
  }
}

std::vector<std::string> Check(absl::string_view library, RuleFileVersions versions,
                               absl::string_view text, const Assumptions& assume) {
  std::vector<std::string> findings;
  absl::string_view numbers = text;
  if (absl::ConsumePrefix(&numbers, kRuleFileVersion2) &&
      versions == RuleFileVersions::kFirstOnly) {
    return {absl::StrCat(
        "line 1: only numbers count; this version silently ignores the complete file ",
        "because of ", kRuleFileVersion2, "; remove that line, and a fifth number of rows")};
  }
  const Written written = ScanNumbers(numbers);
  FindWritingMistakes(written, &findings);
  const auto rules = ParseOpenMpiRules(text, versions);
  if (!rules.ok()) {
    findings.push_back(
        absl::StrCat("the library silently ignores the complete file: ", rules.status().message()));
    return findings;
  }
  std::set<int64_t> seen;
  for (const OpenMpiCollectiveRules& collective : rules->collectives) {
    if (!seen.insert(collective.collective_id).second) {
      findings.push_back(absl::StrCat(OpenMpiCollectiveName(collective.collective_id),
                                      ": given twice, the last one wins; put all of its "
                                      "communicator sizes into one"));
    }
    CollectiveCheck(library, collective, assume, &findings).Run();
  }
  if (written.number_count > rules->number_count) {
    findings.push_back(
        absl::StrCat(written.number_count - rules->number_count,
                     " numbers after the last counted element are ignored; check for a "
                     "count that is too small or a row of five numbers"));
  }
  return findings;
}

}  // namespace

std::vector<std::string> CheckOpenMpiRules(absl::string_view text, const Assumptions& assume) {
  return Check("openmpi-4.1", RuleFileVersions::kFirstOnly, text, assume);
}

std::vector<std::string> CheckOpenMpi50Rules(absl::string_view text, const Assumptions& assume) {
  return Check("openmpi-5.0", RuleFileVersions::kBoth, text, assume);
}

}  // namespace cox::library
