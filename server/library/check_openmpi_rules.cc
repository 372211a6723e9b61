#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "library/formats.h"
#include "library/openmpi_rules.h"

namespace cox::library {
namespace {

// What the library knows of each collective of a rules file, by its id (Open MPI 4.1.4,
// coll/tuned).
struct FileCollective {
  absl::string_view name;
  int64_t last_algorithm;      // 0: a rule has no effect
  int64_t two_rank_algorithm;  // the one that fails unless there are exactly two ranks; 0: none
  int64_t commutative_only;    // bit i: algorithm i gives wrong results for other operations
  int64_t useful_rows;         // rows beyond these are wrong or never met; 0: any number
  absl::string_view why_rows;
};

constexpr absl::string_view kSizeIsZero = "the library takes every message as 0 bytes";
constexpr absl::string_view kCountIsLeftOut = "the library leaves the count out of the size";
constexpr absl::string_view kRanksDiffer = "ranks may see different sizes and pick different rows";

constexpr FileCollective kFileCollectives[] = {
    {"allgather", 6, 6, 0, 0, ""},
    {"allgatherv", 5, 5, 0, 0, ""},
    {"allreduce", 6, 0, 1 << 4 | 1 << 5, 0, ""},
    {"alltoall", 5, 5, 0, 0, ""},
    {"alltoallv", 2, 0, 0, 1, kSizeIsZero},
    {"alltoallw", 0, 0, 0, 0, ""},
    {"barrier", 6, 5, 0, 1, kSizeIsZero},
    {"bcast", 9, 0, 0, 0, ""},
    {"exscan", 2, 0, 0, 1, kCountIsLeftOut},
    {"gather", 3, 0, 0, 1, kRanksDiffer},
    {"gatherv", 0, 0, 0, 0, ""},
    {"reduce", 7, 0, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5, 0, ""},
    {"reduce_scatter", 4, 0, 1 << 2 | 1 << 3, 0, ""},
    {"reduce_scatter_block", 4, 0, 0, 0, ""},
    {"scan", 2, 0, 0, 1, kCountIsLeftOut},
    {"scatter", 3, 0, 0, 1, kRanksDiffer},
    {"scatterv", 0, 0, 0, 0, ""},
    {"neighbor_allgather", 0, 0, 0, 0, ""},
    {"neighbor_allgatherv", 0, 0, 0, 0, ""},
    {"neighbor_alltoall", 0, 0, 0, 0, ""},
    {"neighbor_alltoallv", 0, 0, 0, 0, ""},
    {"neighbor_alltoallw", 0, 0, 0, 0, ""},
};

// The numbers of a file as they are written.
struct Written {
  int64_t number_count = 0;
  std::vector<std::pair<int64_t, std::string>> not_decimal;  // line, text
  std::vector<int64_t> stray_lines;  // with something else than numbers outside comments
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

int64_t CountNumbers(const OpenMpiRules& rules) {
  int64_t count = 1;
  for (const auto& collective : rules.collectives) {
    count += 2;
    for (const auto& set : collective.sets) {
      count += 2 + 4 * static_cast<int64_t>(set.rules.size());
    }
  }
  return count;
}

// Looks at the rules of one collective.
class CollectiveCheck {
 public:
  CollectiveCheck(const OpenMpiCollectiveRules& rules, const Assumptions& assume,
                  std::vector<std::string>* findings)
      : rules_(rules),
        known_(kFileCollectives[rules.collective_id]),
        assume_(assume),
        findings_(*findings) {}

  void Run() {
    if (known_.last_algorithm == 0 && !rules_.sets.empty()) {
      Find("the library has no algorithms to choose from: these rules have no effect");
      return;
    }
    for (size_t i = 0; i < rules_.sets.size(); ++i) CheckSet(i);
  }

 private:
  void Find(absl::string_view what) { findings_.push_back(absl::StrCat(known_.name, ": ", what)); }

  void CheckSet(size_t i) {
    const OpenMpiRuleSet& set = rules_.sets[i];
    const std::string where = absl::StrCat("communicator size ", set.comm_size);
    if (i > 0 && set.comm_size <= rules_.sets[i - 1].comm_size) {
      Find(absl::StrCat(where, " after ", rules_.sets[i - 1].comm_size,
                        ": sizes must ascend, the library stops at the first larger one"));
    }
    if (known_.useful_rows > 0 && static_cast<int64_t>(set.rules.size()) > known_.useful_rows) {
      Find(absl::StrCat(where, ": more than one row, but ", known_.why_rows));
    }
    for (size_t j = 0; j < set.rules.size(); ++j) {
      if (j > 0 && set.rules[j].message_bytes <= set.rules[j - 1].message_bytes) {
        Find(absl::StrCat(where, ": message size ", set.rules[j].message_bytes, " after ",
                          set.rules[j - 1].message_bytes,
                          ": sizes must ascend, the library stops at the first larger one"));
      }
      CheckAlgorithm(i, set.rules[j].algorithm, where);
    }
  }

  void CheckAlgorithm(size_t i, int64_t algorithm, absl::string_view where) {
    if (algorithm == 0) return;
    if (algorithm > known_.last_algorithm) {
      Find(absl::StrCat(where, ": algorithm ", algorithm, " does not exist (1 to ",
                        known_.last_algorithm, "): calls that meet this row fail"));
      return;
    }
    const int64_t comm_size = rules_.sets[i].comm_size;
    if (i == 0 && comm_size > 2) {
      Find(absl::StrCat(
          where, " comes first, so algorithm ", algorithm,
          " is used for smaller communicators too; put size 2 with \"0 0 0 0\" before it"));
    }
    if (algorithm == known_.two_rank_algorithm) {
      const bool ends_at_three = i + 1 < rules_.sets.size() && rules_.sets[i + 1].comm_size == 3;
      if (comm_size != 2 || !ends_at_three) {
        Find(absl::StrCat(
            where, ": algorithm ", algorithm,
            " fails unless there are exactly two ranks, and this entry is met by others"));
      }
    }
    if (!assume_.commutative && (known_.commutative_only >> algorithm & 1) != 0) {
      Find(absl::StrCat(where, ": algorithm ", algorithm,
                        " gives wrong results for operations that do not commute"));
    }
  }

  const OpenMpiCollectiveRules& rules_;
  const FileCollective& known_;
  const Assumptions& assume_;
  std::vector<std::string>& findings_;
};

}  // namespace

std::vector<std::string> CheckOpenMpiRules(absl::string_view text, const Assumptions& assume) {
  std::vector<std::string> findings;
  const Written written = ScanNumbers(text);
  for (const auto& [line, number] : written.not_decimal) {
    findings.push_back(absl::StrCat("line ", line, ": ", number,
                                    " is not read as decimal (a leading 0 means octal)"));
  }
  for (int64_t line : written.stray_lines) {
    findings.push_back(
        absl::StrCat("line ", line,
                     ": only numbers count, other characters outside comments are skipped one by "
                     "one, and a digit in a word is read as a number"));
  }
  const auto rules = ParseOpenMpiRules(text);
  if (!rules.ok()) {
    findings.push_back(absl::StrCat("the library ignores the complete file without a word: ",
                                    rules.status().message()));
    return findings;
  }
  std::set<int64_t> seen;
  for (const OpenMpiCollectiveRules& collective : rules->collectives) {
    if (!seen.insert(collective.collective_id).second) {
      findings.push_back(absl::StrCat(kFileCollectives[collective.collective_id].name,
                                      ": given twice, the last one wins"));
    }
    CollectiveCheck(collective, assume, &findings).Run();
  }
  // A parser that keeps only the last of two same ids sees fewer numbers than there are.
  const int64_t expected = CountNumbers(*rules);
  if (written.number_count > expected && seen.size() == rules->collectives.size()) {
    findings.push_back(
        absl::StrCat(written.number_count - expected,
                     " numbers after the last counted element are ignored; is a count too "
                     "small, or has a row five numbers?"));
  }
  return findings;
}

}  // namespace cox::library
