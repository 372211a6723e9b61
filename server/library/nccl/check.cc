// The rows of NCCL's sample tuner, read as its plugin reads them (ext-tuner/example of NCCL 2.30;
// source read, not run).
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "library/algorithms.h"
#include "library/check_exports.h"
#include "library/formats.h"
#include "library/nccl/rows.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

constexpr absl::string_view kLibrary = "nccl-2";
constexpr size_t kFewestFields = 8;
constexpr size_t kMostFields = 10;
constexpr size_t kMaxLineBytes = 254;
// collective, min_bytes, max_bytes, algorithm, protocol, channels, then conditions on the call.
constexpr size_t kFirstMatched = 6;
constexpr absl::string_view kNumberNames[] = {"channels", "nNodes", "nRanks", "numPipeOps",
                                              "regBuff"};
constexpr absl::string_view kCollectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                              "allreduce"};
constexpr absl::string_view kAlgorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr absl::string_view kProtocols[] = {"ll", "ll128", "simple"};

struct Row {
  int64_t line = 0;
  std::string collective;
  uint64_t min_bytes = 0;
  uint64_t max_bytes = 0;
  std::vector<int64_t> matched;  // nNodes, nRanks, numPipeOps, regBuff; -1: any
};

template <size_t kSize>
bool IsOneOf(const absl::string_view (&words)[kSize], absl::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// -1 or a decimal number that fits an int.
std::optional<int64_t> ReadInt(absl::string_view text) {
  if (text == "-1") return -1;
  const std::optional<int64_t> number = DecimalNumber(text);
  return number && *number <= std::numeric_limits<int32_t>::max() ? number : std::nullopt;
}

std::string CheckWords(const std::vector<std::string>& fields) {
  if (!IsOneOf(kCollectives, fields[0])) {
    return absl::StrCat("\"", fields[0],
                        "\" is not a collective and silently becomes allreduce; "
                        "write one of the plugin's names, in small letters");
  }
  if (!IsOneOf(kAlgorithms, fields[3])) {
    return absl::StrCat("\"", fields[3],
                        "\" is not an algorithm and silently becomes ring; write one "
                        "of the plugin's names, in small letters");
  }
  if (!IsOneOf(kProtocols, fields[4])) {
    return absl::StrCat(
        "\"", fields[4],
        "\" is not a protocol and silently becomes simple; write ll, ll128 or simple");
  }
  const std::string native = absl::StrCat(fields[3], "_", fields[4]);
  for (const Algorithm& row : AlgorithmsOf(kLibrary)) {
    if (NcclName(row.collective) == fields[0] && row.native_name == native) return "";
  }
  return absl::StrCat("NCCL cannot use ", fields[3], " with ", fields[4], " for ", fields[0],
                      ", so the row has no effect; choose another");
}

std::string ReadNumbers(const std::vector<std::string>& fields, Row* row) {
  const std::optional<int64_t> low = DecimalNumber(fields[1]);
  const std::optional<int64_t> high = DecimalNumber(fields[2]);
  if (!low.has_value() || !high.has_value()) {
    return absl::StrCat("\"", fields[1], ",", fields[2], "\": sizes are decimal numbers of bytes ",
                        "below 2^63, and the plugin drops what follows the digits; write them out");
  }
  row->min_bytes = static_cast<uint64_t>(*low);
  row->max_bytes = static_cast<uint64_t>(*high);
  if (*low > *high) return "its range of sizes is empty and can never match; exchange its ends";
  for (size_t i = 5; i < fields.size(); ++i) {
    const std::optional<int64_t> number = ReadInt(fields[i]);
    if (!number.has_value()) {
      return absl::StrCat(kNumberNames[i - 5], " \"", fields[i],
                          "\" must be -1 or a decimal number");
    }
    // A call has at least one node, rank, operation and channel.
    const bool may_be_zero = i + 1 == kMostFields;
    if (*number == 0 && !may_be_zero) {
      return absl::StrCat(kNumberNames[i - 5], " is 0, which no call has; write -1 for any");
    }
    if (i >= kFirstMatched) row->matched.push_back(*number);
  }
  row->matched.resize(kMostFields - kFirstMatched, -1);
  return "";
}

bool Covers(const Row& earlier, const Row& later) {
  if (earlier.collective != later.collective || earlier.min_bytes > later.min_bytes ||
      earlier.max_bytes < later.max_bytes) {
    return false;
  }
  for (size_t i = 0; i < later.matched.size(); ++i) {
    if (earlier.matched[i] != -1 && earlier.matched[i] != later.matched[i]) return false;
  }
  return true;
}

// The finding about one line other than a comment; "" for a sound one, which is then in `row`.
std::string ReadRow(absl::string_view line, Row* row) {
  if (line.size() > kMaxLineBytes) {
    return absl::StrCat("is longer than ", kMaxLineBytes,
                        " bytes, and the plugin reads the rest as another row; shorten it");
  }
  std::vector<std::string> fields = absl::StrSplit(line, ',');
  for (std::string& field : fields) absl::StripAsciiWhitespace(&field);
  if (std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.empty(); })) {
    return "an empty field is skipped and all later ones move up; write -1 for any";
  }
  if (fields.size() < kFewestFields || fields.size() > kMostFields) {
    return absl::StrCat("has ", fields.size(),
                        " fields, must have 8 to 10; the plugin silently ignores a line "
                        "with fewer and cuts off more");
  }
  if (std::string finding = CheckWords(fields); !finding.empty()) return finding;
  row->collective = fields[0];
  return ReadNumbers(fields, row);
}

}  // namespace

// NCCL's operations all commute.
std::vector<std::string> CheckNcclRows(absl::string_view text, const Assumptions& /*assume*/) {
  std::vector<std::string> findings;
  std::vector<Row> rows;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty() || (line[0] == '#' && line.size() <= kMaxLineBytes)) continue;
    Row row;
    row.line = number;
    std::string finding = ReadRow(line, &row);
    if (finding.empty()) {
      const auto earlier = std::find_if(rows.begin(), rows.end(),
                                        [&](const Row& other) { return Covers(other, row); });
      if (earlier == rows.end()) {
        rows.push_back(std::move(row));
        continue;
      }
      finding = absl::StrCat("can never match: line ", earlier->line,
                             " comes first and matches all of its calls; put it before that line");
    }
    findings.push_back(absl::StrCat("line ", number, ": ", finding));
  }
  return findings;
}

}  // namespace cox::library
