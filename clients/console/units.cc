#include "console/units.h"

#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::console {
namespace {

struct Scale {
  double factor;
  const char* prefix;
};

// Seconds and seconds per byte only shrink; rates only grow.
constexpr std::array<Scale, 5> kSmall = {
    {{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}}};
constexpr std::array<Scale, 5> kLarge = {
    {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};

// A year in seconds has 8 digits.
constexpr double kLeastWithExponent = 1e9;

std::string Scaled(double value, const std::array<Scale, 5>& scales, absl::string_view unit) {
  if (value == 0 || !std::isfinite(value)) return absl::StrFormat("%g %s", value, unit);
  for (const Scale& scale : scales) {
    const double scaled = value / scale.factor;
    if (std::fabs(scaled) >= 1 || &scale == &scales.back()) {
      if (std::fabs(scaled) >= kLeastWithExponent) {
        return absl::StrFormat("%.4g %s%s", scaled, scale.prefix, unit);
      }
      // Four digits, without the exponent that %g would turn to.
      const int decimals = std::fabs(scaled) >= 1000  ? 0
                           : std::fabs(scaled) >= 100 ? 1
                           : std::fabs(scaled) >= 10  ? 2
                                                      : 3;
      return absl::StrFormat("%.*f %s%s", decimals, scaled, scale.prefix, unit);
    }
  }
  return "";
}

}  // namespace

std::string FormatTime(double time_s) { return Scaled(time_s, kSmall, "s"); }

std::string FormatError(double error) {
  if (!std::isfinite(error)) return "not defined";
  return error < 0.0995 ? absl::StrFormat("%.1f %%", 100 * error)
                        : absl::StrFormat("%.0f %%", 100 * error);
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<const char*, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t power = 0;
  while (power + 1 < kNames.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  if (bytes < 100000 || power + 1 == kNames.size()) return absl::StrCat(bytes, " ", kNames[power]);
  double scaled = static_cast<double>(bytes);
  while (power + 1 < kNames.size() && scaled >= 1024) {
    scaled /= 1024;
    ++power;
  }
  return absl::StrFormat("%.1f %s", scaled, kNames[power]);
}

std::string FormatQuantity(double value, absl::string_view unit) {
  if (unit == "s" || unit == "s/byte") return Scaled(value, kSmall, unit);
  if (unit == "byte/s") return Scaled(value, kLarge, "B/s");
  return absl::StrFormat("%.5g %s", value, unit.empty() ? "-" : unit);
}

}  // namespace cox::console
