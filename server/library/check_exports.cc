#include "library/check_exports.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "library/algorithms.h"

namespace cox::library {

namespace {

// Linux's limit of a string in a program's environment, with its final zero.
constexpr size_t kMaxSettingBytes = (size_t{128} << 10) - 1;

}  // namespace

const absl::string_view kWrongWithoutPromise =
    "gives wrong results for operations that do not commute; choose another, or promise that all "
    "commute (--assume commutative)";

std::vector<std::string> CheckExports(
    const ShellExports& read, absl::FunctionRef<std::string(const ShellExport&)> check_one) {
  std::vector<std::string> findings = read.findings;
  for (const ShellExport& setting : read.exports) {
    const bool too_long = setting.name.size() + 1 + setting.value.size() > kMaxSettingBytes;
    const std::string finding =
        too_long ? "is longer than 128 KiB, so that no program can start; shorten it"
                 : check_one(setting);
    if (!finding.empty()) {
      findings.push_back(absl::StrCat("line ", setting.line, ": ", setting.name, ": ", finding));
    }
  }
  return findings;
}

std::optional<int64_t> DecimalNumber(absl::string_view text) {
  int64_t number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return number;
}

std::string AlgorithmNames(absl::string_view library, domain::Collective collective) {
  std::string names;
  for (const Algorithm& row : AlgorithmsOf(library)) {
    if (row.collective != collective) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", row.native_name);
  }
  return names;
}

}  // namespace cox::library
