#include "library/openmpi/values.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/check_exports.h"

namespace cox::library {
namespace {

constexpr absl::string_view kOn[] = {"true", "t", "enabled", "yes", "y"};

struct Suffix {
  absl::string_view lower;
  absl::string_view upper;
  int64_t unit;
};
constexpr Suffix kSuffixes[] = {
    {"k", "K", int64_t{1} << 10}, {"m", "M", int64_t{1} << 20}, {"g", "G", int64_t{1} << 30}};

// Reads numbers as the library does: with leading blanks and a sign, and nothing after them.
std::optional<int64_t> WholeNumber(absl::string_view value, int base) {
  const std::string text(value);
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, base);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return number;
}

// Everywhere else "default" means the library's own choice, so the row has another name.
absl::string_view OwnName(const Algorithm& row) {
  const bool is_gather_bcast =
      row.collective == domain::Collective::kAllgatherv && row.native_name == "gather_bcast";
  return is_gather_bcast ? "default" : row.native_name;
}

bool CanBeForced(const Algorithm& row, domain::Collective collective) {
  return row.collective == collective && row.native_id > 0;
}

}  // namespace

bool IsOpenMpiSwitchOn(absl::string_view value) {
  return std::find(std::begin(kOn), std::end(kOn), value) != std::end(kOn) ||
         WholeNumber(value, 10).value_or(0) != 0;
}

std::optional<int64_t> OpenMpiNumber(absl::string_view value) {
  int64_t unit = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (absl::ConsumeSuffix(&value, suffix.lower) || absl::ConsumeSuffix(&value, suffix.upper)) {
      unit = suffix.unit;
      break;
    }
  }
  const std::optional<int64_t> number = DecimalNumber(value);
  if (!number.has_value() || *number > kOpenMpiMostNumber / unit) return std::nullopt;
  return *number * unit;
}

bool IsOpenMpiOctal(absl::string_view value) {
  return value.size() > 1 && value[0] == '0' && absl::ascii_isdigit(value[1]);
}

const Algorithm* FindOpenMpiForced(absl::string_view library, domain::Collective collective,
                                   absl::string_view value) {
  const std::optional<int64_t> id = WholeNumber(value, 0);
  for (const Algorithm& row : AlgorithmsOf(library)) {
    const bool is_meant = id.has_value() ? row.native_id == *id : OwnName(row) == value;
    if (is_meant && CanBeForced(row, collective)) return &row;
  }
  return nullptr;
}

std::string OpenMpiForcedNames(absl::string_view library, domain::Collective collective) {
  std::string names;
  for (const Algorithm& row : AlgorithmsOf(library)) {
    if (!CanBeForced(row, collective)) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", OwnName(row));
  }
  return names;
}

}  // namespace cox::library
