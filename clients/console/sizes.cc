#include "console/sizes.h"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "console/numbers.h"

namespace cox::console {
namespace {

absl::Status Bad(absl::string_view text, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("'", text.substr(0, 60), "' ", rule));
}

// The power of 1024 that a unit stands for, -1 for none.
int UnitPower(absl::string_view unit) {
  std::string lower = absl::AsciiStrToLower(unit);
  absl::string_view rest = lower;
  if (rest.empty() || rest == "b") return 0;
  const size_t power = absl::string_view("kmgt").find(rest[0]);
  rest.remove_prefix(1);
  if (power == absl::string_view::npos ||
      (!rest.empty() && rest != "b" && rest != "i" && rest != "ib"))
    return -1;
  return static_cast<int>(power) + 1;
}

struct Step {
  double factor = 2;   // used when > 1
  int64_t addend = 0;  // used when > 0
};

absl::StatusOr<Step> ParseStep(absl::string_view text) {
  Step step;
  if (absl::StartsWith(text, "*")) {
    absl::StatusOr<double> factor = ParsePositive(text.substr(1));
    if (!factor.ok() || *factor < 1.001) {
      return Bad(text, "is not a step: a factor must be at least 1.001, as in 1k..1M:*2");
    }
    step.factor = *factor;
    return step;
  }
  if (absl::StartsWith(text, "+")) {
    absl::StatusOr<int64_t> addend = ParseSize(text.substr(1));
    if (!addend.ok() || *addend < 1) {
      return Bad(text, "is not a step: it must add a size of at least 1, as in 1k..8k:+1k");
    }
    step.factor = 0;
    step.addend = *addend;
    return step;
  }
  return Bad(text, "is not a step: it starts with * or +, as in 1k..1M:*2");
}

// Without overflow: values stay far below 2^63.
int64_t Next(int64_t value, const Step& step) {
  if (step.addend > 0) return value > kMaxBytes - step.addend ? kMaxBytes + 1 : value + step.addend;
  const double next = std::round(static_cast<double>(value) * step.factor);
  if (next > static_cast<double>(kMaxBytes)) return kMaxBytes + 1;
  return std::max(static_cast<int64_t>(next), value + 1);
}

absl::StatusOr<int64_t> ParseWithin(absl::string_view text, int64_t low, int64_t high, SweepOf of) {
  absl::StatusOr<int64_t> value = ParseSize(text);
  if (!value.ok() && of == SweepOf::kCounts) {
    const bool is_number =
        !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
    if (is_number) return Bad(text, absl::StrCat("must be within ", low, "..", high));
    return Bad(text, "is not a number: write 64, 4k or a sweep such as 2..1024:*2");
  }
  if (value.ok() && (*value < low || *value > high)) {
    return Bad(text, absl::StrCat("must be within ", low, "..", high));
  }
  return value;
}

absl::Status AppendPart(absl::string_view part, int64_t low, int64_t high, SweepOf of,
                        std::vector<int64_t>& values) {
  const size_t dots = part.find("..");
  if (dots == absl::string_view::npos) {
    absl::StatusOr<int64_t> value = ParseWithin(part, low, high, of);
    if (!value.ok()) return value.status();
    values.push_back(*value);
    return absl::OkStatus();
  }
  absl::string_view rest = part.substr(dots + 2);
  if (dots == 0 || rest.empty() || rest[0] == ':') {
    return Bad(part, "is not a sweep: write FROM..TO, as in 1k..1M:*2");
  }
  Step step;
  if (const size_t colon = rest.find(':'); colon != absl::string_view::npos) {
    absl::StatusOr<Step> parsed = ParseStep(rest.substr(colon + 1));
    if (!parsed.ok()) return parsed.status();
    step = *parsed;
    rest = rest.substr(0, colon);
  }
  absl::StatusOr<int64_t> from = ParseWithin(part.substr(0, dots), low, high, of);
  if (!from.ok()) return from.status();
  absl::StatusOr<int64_t> to = ParseWithin(rest, low, high, of);
  if (!to.ok()) return to.status();
  if (*from > *to) return Bad(part, "goes down: write FROM..TO with FROM <= TO");
  for (int64_t value = *from; value <= *to; value = Next(value, step)) {
    if (static_cast<int64_t>(values.size()) >= kMaxSweepValues) {
      return Bad(part, absl::StrCat("has more than ", kMaxSweepValues, " values"));
    }
    values.push_back(value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ParseSize(absl::string_view text) {
  size_t digits = text.find_first_not_of("0123456789.");
  if (digits == absl::string_view::npos) digits = text.size();
  const absl::string_view number = text.substr(0, digits);
  const int power = UnitPower(text.substr(digits));
  if (number.empty() || power < 0) {
    return Bad(text, "is not a size: write bytes (1024) or 64k, 1KiB, 4MiB");
  }
  int64_t scale = 1;
  for (int i = 0; i < power; ++i) scale *= 1024;
  if (absl::StrContains(number, ".")) {
    absl::StatusOr<double> value = ParseNonNegative(number);
    if (!value.ok()) return Bad(text, "is not a size: write bytes (1024) or 64k, 1KiB, 4MiB");
    const double bytes = *value * static_cast<double>(scale);
    if (bytes > static_cast<double>(kMaxBytes)) return Bad(text, "is more than 2^62 bytes");
    if (bytes != std::floor(bytes)) return Bad(text, "is not a whole number of bytes");
    return static_cast<int64_t>(bytes);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || value > kMaxBytes / scale)
    return Bad(text, "is more than 2^62 bytes");
  return value * scale;
}

absl::StatusOr<std::vector<int64_t>> ParseSweep(absl::string_view text, int64_t low, int64_t high,
                                                SweepOf of) {
  std::vector<int64_t> values;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    absl::Status status = AppendPart(part, low, high, of, values);
    if (!status.ok()) return status;
  }
  return values;
}

}  // namespace cox::console
