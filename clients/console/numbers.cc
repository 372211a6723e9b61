#include "console/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace cox::console {
namespace {

// A smaller share is probably a mistake.
constexpr double kLeastShare = 1e-6;

// What is shown of a bad value: enough to find it, not a screen full.
std::string Shown(absl::string_view text) {
  constexpr size_t kShownBytes = 40;
  if (text.size() <= kShownBytes) return absl::StrCat("'", text, "'");
  return absl::StrCat("'", text.substr(0, kShownBytes), "...'");
}

// Only what decimal notation needs: from_chars would also take "inf" and "nan(...)".
bool IsDecimal(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.eE") == absl::string_view::npos;
}

absl::StatusOr<double> ParseDouble(absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("is empty, a number is needed");
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", beyond a double"));
  }
  if (error == std::errc() && stop == end && !std::isfinite(value)) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", must be finite"));
  }
  if (error != std::errc() || stop != end || !IsDecimal(text)) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", not a number"));
  }
  return value;
}

}  // namespace

absl::StatusOr<int64_t> ParseInteger(absl::string_view text, int64_t low, int64_t high) {
  if (text.empty()) return absl::InvalidArgumentError("is empty, an integer is needed");
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool overflow = error == std::errc::result_out_of_range && stop == end;
  if (!overflow && (error != std::errc() || stop != end)) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", not an integer"));
  }
  if (overflow || value < low || value > high) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", Shown(text), ", must be within ", low, "..", high));
  }
  return value;
}

absl::StatusOr<double> ParsePositive(absl::string_view text) {
  absl::StatusOr<double> value = ParseDouble(text);
  if (value.ok() && *value <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", must be > 0"));
  }
  return value;
}

absl::StatusOr<double> ParseNonNegative(absl::string_view text) {
  absl::StatusOr<double> value = ParseDouble(text);
  if (value.ok() && *value < 0) {
    return absl::InvalidArgumentError(absl::StrCat("is ", Shown(text), ", must be >= 0"));
  }
  return value;
}

absl::StatusOr<double> ParseShare(absl::string_view text, double high) {
  absl::string_view number = text;
  const bool is_percent = absl::ConsumeSuffix(&number, "%");
  const absl::StatusOr<double> value = ParseNonNegative(number);
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", Shown(text), ", not a share: write 5% (or 0.05)"));
  }
  const double share = is_percent ? *value / 100 : *value;
  if (share > 0 && share < kLeastShare) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", Shown(text), ", must be 0 or at least 0.0001%"));
  }
  if (share <= high) return share;
  const std::string most = absl::StrCat(" must be at most ", 100 * high, "%");
  // Most likely a percentage without its sign.
  const bool is_bare_percent = !is_percent && *value / 100 <= high;
  return absl::InvalidArgumentError(absl::StrCat(
      "is ", Shown(text), ",", most,
      is_bare_percent ? absl::StrCat(": write ", number, "% (or ", FormatDouble(*value / 100), ")")
                      : ""));
}

std::string FormatDouble(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string("nan");
}

}  // namespace cox::console
