// The grammar of I_MPI_ADJUST_<op> (Intel MPI 2019 developer reference; not run).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/check_exports.h"
#include "library/formats.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using domain::Collective;

constexpr absl::string_view kLibrary = "intelmpi-2019";
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Operations that have a variable, but no numbers in our table.
constexpr absl::string_view kUnlisted[] = {
    "ALLTOALLW", "EXSCAN",         "GATHER",  "GATHERV",  "REDUCE",
    "SCAN",      "REDUCE_SCATTER", "SCATTER", "SCATTERV",
};

struct Interval {
  int64_t low = 0;
  int64_t high = kNoLimit;  // inclusive
  bool Overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

// The range of one condition.
struct Condition {
  Interval bytes;
  Interval processes;
  std::string text;
};

// "7" or "7-9".
std::optional<Interval> ReadInterval(absl::string_view text) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
  if (ends.size() > 2) return std::nullopt;
  const std::optional<int64_t> low = DecimalNumber(ends.front());
  const std::optional<int64_t> high = DecimalNumber(ends.back());
  if (!low.has_value() || !high.has_value()) return std::nullopt;
  return Interval{*low, *high};
}

// Checks the value of one variable; stops at the first finding.
class ValueCheck {
 public:
  ValueCheck(std::optional<Collective> collective, const Assumptions& assume)
      : collective_(collective), assume_(assume) {}

  std::string Run(absl::string_view value) {
    if (value.find_first_of(" \t") != absl::string_view::npos) {
      return "blanks are not part of the manual's syntax; remove them";
    }
    const std::vector<absl::string_view> parts = absl::StrSplit(value, ';');
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string finding = CheckPart(parts[i], i + 1 == parts.size());
      if (!finding.empty()) return absl::StrCat("\"", parts[i], "\": ", finding);
    }
    return "";
  }

 private:
  std::string CheckPart(absl::string_view part, bool is_last) {
    const size_t colon = part.find(':');
    if (std::string finding = CheckNumber(part.substr(0, colon)); !finding.empty()) return finding;
    if (colon == absl::string_view::npos || colon + 1 == part.size()) {
      return is_last ? "" : "selects everything, so what follows can never be meant; put it last";
    }
    for (const absl::string_view condition : absl::StrSplit(part.substr(colon + 1), ',')) {
      if (std::string finding = CheckCondition(condition); !finding.empty()) return finding;
    }
    return "";
  }

  std::string CheckNumber(absl::string_view text) const {
    const std::optional<int64_t> id = DecimalNumber(text);
    if (!id.has_value() || *id > std::numeric_limits<int32_t>::max()) {
      return absl::StrCat("\"", text, "\" is not an algorithm's number; write NUMBER:CONDITIONS");
    }
    if (*id == 0 || !collective_.has_value()) return "";
    const Algorithm* row = FindNativeAlgorithm(kLibrary, *collective_, static_cast<int>(*id));
    if (row == nullptr) {
      return absl::StrCat("version 2019 has no algorithm ", *id, "; from 1 they are ",
                          AlgorithmNames(kLibrary, *collective_));
    }
    if (!assume_.commutative && !row->safe_for_any_operation) {
      return absl::StrCat("the manual does not say that algorithm ", *id,
                          " is right for operations that do not commute; choose another, or "
                          "promise that all commute (--assume commutative)");
    }
    return "";
  }

  std::string CheckCondition(absl::string_view text) {
    const std::vector<absl::string_view> sides = absl::StrSplit(text, '@');
    const std::optional<Interval> bytes = ReadInterval(sides[0]);
    const std::optional<Interval> processes =
        sides.size() > 1 ? ReadInterval(sides[1]) : Interval{1, kNoLimit};
    if (sides.size() > 2 || !bytes.has_value() || !processes.has_value()) {
      return absl::StrCat("\"", text,
                          "\" is not of the form l, l-m, l@p or l-m@p-q in decimal numbers");
    }
    if (bytes->low > bytes->high || processes->low > processes->high || processes->high < 1) {
      return absl::StrCat("\"", text, "\" is empty and can never match; exchange its ends");
    }
    const Condition condition{*bytes, *processes, std::string(text)};
    for (const Condition& other : seen_) {
      if (other.bytes.Overlaps(*bytes) && other.processes.Overlaps(*processes)) {
        return absl::StrCat("\"", text, "\" overlaps \"", other.text,
                            "\", and which of them counts is not documented; part them");
      }
    }
    seen_.push_back(condition);
    return "";
  }

  std::optional<Collective> collective_;
  const Assumptions& assume_;
  std::vector<Condition> seen_;
};

std::string CheckOne(const ShellExport& setting, const Assumptions& assume) {
  absl::string_view name = setting.name;
  if (!absl::StartsWith(name, "I_MPI_")) {
    return "Intel MPI reads only variables that begin with I_MPI_; correct the name or remove it";
  }
  if (!absl::ConsumePrefix(&name, "I_MPI_ADJUST_")) return "";
  const auto collective = domain::ParseCollective(absl::AsciiStrToLower(name));
  if (collective.ok() && Lists(kLibrary, *collective)) {
    return ValueCheck(*collective, assume).Run(setting.value);
  }
  if (std::find(std::begin(kUnlisted), std::end(kUnlisted), name) != std::end(kUnlisted)) {
    return ValueCheck(std::nullopt, assume).Run(setting.value);
  }
  // Nonblocking operations, and further variables of an operation (ALLREDUCE_KN_RADIX).
  const bool has_more = absl::StartsWith(name, "I") || absl::EndsWith(name, "_LIST") ||
                        absl::EndsWith(name, "_RADIX") || absl::EndsWith(name, "_SEGSIZE");
  return has_more ? "" : absl::StrCat("unknown operation \"", name, "\"; correct the name");
}

}  // namespace

std::vector<std::string> CheckIntelMpi(absl::string_view text, const Assumptions& assume) {
  return CheckExports(ReadShellExports(text),
                      [&](const ShellExport& setting) { return CheckOne(setting, assume); });
}

}  // namespace cox::library
