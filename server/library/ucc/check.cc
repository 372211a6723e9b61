// The grammar of UCC_<layer>_<component>_TUNE (src/coll_score of UCC; source read, not run).
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
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

constexpr absl::string_view kLibrary = "ucc-1";
constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();
constexpr absl::string_view kDropped =
    "; UCC then drops the complete text with an error in its log";

// UCC's collectives. It takes the size of some as 0, because ranks may know different sizes.
struct UccCollective {
  absl::string_view name;
  bool has_size;
};
constexpr UccCollective kCollectives[] = {
    {"allgather", true},      {"allgatherv", true},      {"allreduce", true}, {"alltoall", true},
    {"alltoallv", false},     {"barrier", false},        {"bcast", true},     {"fanin", false},
    {"fanout", false},        {"gather", true},          {"gatherv", false},  {"reduce", true},
    {"reduce_scatter", true}, {"reduce_scatterv", true}, {"scatter", true},   {"scatterv", false},
};
constexpr absl::string_view kMemoryTypes[] = {"host",         "cpu",  "cuda",
                                              "cuda_managed", "rocm", "rocm_managed"};
constexpr absl::string_view kComponents[] = {
    "TL_UCP_TUNE",   "TL_NCCL_TUNE", "TL_CUDA_TUNE", "TL_RCCL_TUNE",  "TL_SELF_TUNE",
    "TL_SHARP_TUNE", "TL_MLX5_TUNE", "TL_SHM_TUNE",  "CL_BASIC_TUNE", "CL_HIER_TUNE",
};

struct Range {
  int64_t start = 0;
  int64_t end = kInfinite;  // not included in a range of sizes, included in one of team sizes
};

// One token between two #.
struct Token {
  std::string text;
  std::vector<std::string> collectives;  // empty: all
  std::vector<std::string> memory_types;
  std::vector<Range> sizes;
  std::vector<Range> teams;
  std::string algorithm;
  std::optional<int64_t> score;
};

const UccCollective* FindCollective(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kCollectives), std::end(kCollectives),
                                   [&](const UccCollective& other) { return other.name == name; });
  return found == std::end(kCollectives) ? nullptr : found;
}

// "4k", "8MB", "inf".
std::optional<int64_t> ReadBytes(absl::string_view text) {
  if (text == "inf") return kInfinite;
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string unit = absl::AsciiStrToLower(text.substr(digits));
  if (unit.size() == 2 && unit[1] == 'b') unit.resize(1);
  constexpr absl::string_view kUnits = "bkmgt";
  const size_t power = unit.empty() ? 0 : kUnits.find(unit);
  const std::optional<int64_t> count = DecimalNumber(text.substr(0, digits));
  if (!count.has_value() || power == absl::string_view::npos || unit.size() > 1)
    return std::nullopt;
  const auto shift = static_cast<int64_t>(10 * power);
  if (*count > (kInfinite >> shift)) return std::nullopt;
  return *count << shift;
}

template <typename ReadEnd>
std::optional<std::vector<Range>> ReadRanges(absl::string_view text, bool may_be_one,
                                             const ReadEnd& read_end) {
  std::vector<Range> ranges;
  for (const absl::string_view item : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(item, '-');
    if (ends.size() > 2 || (ends.size() == 1 && !may_be_one)) return std::nullopt;
    const std::optional<int64_t> start = read_end(ends.front());
    const std::optional<int64_t> end = read_end(ends.back());
    if (!start.has_value() || !end.has_value()) return std::nullopt;
    ranges.push_back({*start, *end});
  }
  return ranges;
}

std::optional<int64_t> ReadTeamSize(absl::string_view text) {
  return text == "inf" ? std::optional<int64_t>(kInfinite) : DecimalNumber(text);
}

// The words of a comma list in lower case, if `is_known` knows all.
template <typename IsKnown>
std::optional<std::vector<std::string>> ReadNames(absl::string_view text, const IsKnown& is_known) {
  std::vector<std::string> names = absl::StrSplit(absl::AsciiStrToLower(text), ',');
  if (!std::all_of(names.begin(), names.end(), is_known)) return std::nullopt;
  return names;
}

// Takes a field as UCC does: as the first kind that fits and that the token does not have yet.
bool TakeField(absl::string_view field, Token* token) {
  const auto is_memory_type = [](const std::string& name) {
    return std::find(std::begin(kMemoryTypes), std::end(kMemoryTypes), name) !=
           std::end(kMemoryTypes);
  };
  const auto is_collective = [](const std::string& name) {
    return FindCollective(name) != nullptr;
  };
  if (const auto names = ReadNames(field, is_collective); names && token->collectives.empty()) {
    token->collectives = *names;
  } else if (const auto types = ReadNames(field, is_memory_type);
             types && token->memory_types.empty()) {
    token->memory_types = *types;
  } else if (const auto score = ReadTeamSize(field); score && !token->score) {
    token->score = score;
  } else if (const auto sizes = ReadRanges(field, false, ReadBytes);
             sizes && token->sizes.empty()) {
    token->sizes = *sizes;
  } else if (absl::ConsumePrefix(&field, "[") && absl::ConsumeSuffix(&field, "]")) {
    const auto teams = ReadRanges(field, true, ReadTeamSize);
    if (!teams || !token->teams.empty()) return false;
    token->teams = *teams;
  } else if (absl::ConsumePrefix(&field, "@") && !field.empty() && token->algorithm.empty()) {
    token->algorithm = std::string(field);
  } else {
    return false;
  }
  return true;
}

// MPI's name of UCC's collective, where its algorithms are known.
std::optional<Collective> CollectiveOf(absl::string_view ucc_name) {
  const auto collective = domain::ParseCollective(
      ucc_name == "reduce_scatter" ? absl::string_view("reduce_scatter_block") : ucc_name);
  if (!collective.ok() || !Lists(kLibrary, *collective)) return std::nullopt;
  return *collective;
}

std::string CheckAlgorithm(const Token& token) {
  if (token.algorithm.empty() || DecimalNumber(token.algorithm).has_value()) return "";
  for (const std::string& name : token.collectives) {
    const std::optional<Collective> collective = CollectiveOf(name);
    if (collective && FindAlgorithm(kLibrary, *collective, token.algorithm) == nullptr) {
      return absl::StrCat("\"", token.algorithm, "\" is not an algorithm of ", name, kDropped,
                          "; there are ", AlgorithmNames(kLibrary, *collective));
    }
  }
  return "";
}

std::string CheckRanges(const Token& token) {
  for (const Range& size : token.sizes) {
    if (size.start >= size.end) {
      return "a range of sizes is empty and can never match (its end is not part of it); exchange "
             "its "
             "ends or widen it";
    }
    for (const std::string& name : token.collectives) {
      const bool has_size = FindCollective(name)->has_size;
      if (!has_size && size.start > 0) {
        return absl::StrCat(name,
                            " always counts as 0 bytes, so this range can never match; let "
                            "it begin with 0");
      }
    }
  }
  for (const Range& team : token.teams) {
    if (team.start > team.end) return absl::StrCat("a range of team sizes is empty", kDropped);
  }
  return "";
}

// Reads and checks one token.
std::string ReadToken(absl::string_view text, bool knows_algorithms, Token* token) {
  token->text = std::string(text);
  for (const absl::string_view field : absl::StrSplit(text, ':')) {
    if (!TakeField(field, token)) {
      return absl::StrCat(
          "\"", field, "\" is not a collective, memory type, score, range of sizes, ",
          "[team sizes] or @algorithm, or the second one of its kind", kDropped, "; correct it");
    }
  }
  if (token->algorithm.empty() && !token->score.has_value()) {
    return "has no effect without a score or an @algorithm; add one";
  }
  if (!token->algorithm.empty() && token->score == 0) {
    return "score 0 disables the algorithm; write inf to choose it";
  }
  if (std::string finding = CheckRanges(*token); !finding.empty()) return finding;
  return knows_algorithms ? CheckAlgorithm(*token) : "";
}

template <typename Name>
bool Share(const std::vector<Name>& a, const std::vector<Name>& b) {
  return a.empty() || b.empty() || std::any_of(a.begin(), a.end(), [&](const Name& name) {
           return std::find(b.begin(), b.end(), name) != b.end();
         });
}

bool Overlap(const std::vector<Range>& a, const std::vector<Range>& b, bool ends_count) {
  if (a.empty() || b.empty()) return true;  // without ranges: all
  for (const Range& x : a) {
    for (const Range& y : b) {
      if (ends_count ? x.start <= y.end && y.start <= x.end : x.start < y.end && y.start < x.end) {
        return true;
      }
    }
  }
  return false;
}

// UCC refuses ranges that overlap for the same collective, memory and team.
bool Collide(const Token& a, const Token& b) {
  return a.score != 0 && b.score != 0 && Share(a.collectives, b.collectives) &&
         Share(a.memory_types, b.memory_types) && Overlap(a.teams, b.teams, true) &&
         Overlap(a.sizes, b.sizes, false);
}

std::string CheckTune(absl::string_view value, bool knows_algorithms) {
  std::vector<Token> tokens;
  for (const absl::string_view text : absl::StrSplit(value, '#')) {
    Token token;
    if (const std::string finding = ReadToken(text, knows_algorithms, &token); !finding.empty()) {
      return absl::StrCat("\"", text, "\": ", finding);
    }
    for (const Token& other : tokens) {
      if (Collide(other, token)) {
        return absl::StrCat("\"", text, "\": overlaps \"", other.text, "\"", kDropped,
                            "; part their ranges");
      }
    }
    tokens.push_back(std::move(token));
  }
  return "";
}

std::string CheckOne(const ShellExport& setting) {
  absl::string_view name = setting.name;
  if (!absl::ConsumePrefix(&name, "UCC_")) {
    return "UCC reads only variables that begin with UCC_; correct the name or remove it";
  }
  if (!absl::EndsWith(name, "_TUNE")) return "";
  if (std::find(std::begin(kComponents), std::end(kComponents), name) == std::end(kComponents)) {
    return "UCC has no such component; write UCC_TL_UCP_TUNE or another component's variable";
  }
  return CheckTune(setting.value, name == "TL_UCP_TUNE");
}

}  // namespace

// Operations of users do not reach UCC, so it needs no promise.
std::vector<std::string> CheckUcc(absl::string_view text, const Assumptions& /*assume*/) {
  return CheckExports(ReadShellExports(text), CheckOne);
}

}  // namespace cox::library
