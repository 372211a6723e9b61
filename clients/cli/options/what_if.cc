#include "cli/options/what_if.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "console/numbers.h"
#include "console/sizes.h"

namespace cox::cli {
namespace {

struct TimeUnit {
  absl::string_view name;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] = {{"s", 1},     {"ms", 1e-3}, {"us", 1e-6},
                                   {"µs", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};

// A value in SI units. The unit is "s", "s/byte" or "byte", or empty if the text has none.
struct Quantity {
  double value;
  absl::string_view unit;
};

absl::StatusOr<Quantity> ParseNumber(absl::string_view text) {
  const absl::StatusOr<double> value = console::ParseNonNegative(text);
  if (!value.ok()) return value.status();
  return Quantity{*value, ""};
}

absl::StatusOr<Quantity> ParseQuantity(absl::string_view text) {
  size_t end = text.find_first_not_of("0123456789+-.eE");
  if (end == absl::string_view::npos) end = text.size();
  absl::string_view unit = text.substr(end);
  if (unit.empty()) return ParseNumber(text);
  const bool is_per_byte = absl::ConsumeSuffix(&unit, "/byte") || absl::ConsumeSuffix(&unit, "/B");
  for (const TimeUnit& row : kTimeUnits) {
    if (unit != row.name) continue;
    const absl::StatusOr<double> value = console::ParseNonNegative(text.substr(0, end));
    if (!value.ok()) return value.status();
    return Quantity{*value * row.seconds, is_per_byte ? "s/byte" : "s"};
  }
  const absl::StatusOr<int64_t> bytes = console::ParseSize(text);
  if (bytes.ok()) return Quantity{static_cast<double>(*bytes), "byte"};
  return absl::InvalidArgumentError(
      absl::StrCat("is '", text.substr(0, 40),
                   "', not a number with s, ms, us, ns or ps, the same "
                   "with /B, or a size"));
}

}  // namespace

absl::Status AddWhatIf(absl::string_view text, WhatIfOptions& options) {
  const size_t at = text.find_first_of("*=");
  if (at == absl::string_view::npos || at == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text.substr(0, 60), "' is not a change: write PARAMETER*FACTOR or PARAMETER=VALUE"));
  }
  const bool is_factor = text[at] == '*';
  const absl::string_view amount = text.substr(at + 1);
  const absl::StatusOr<Quantity> quantity = is_factor ? ParseNumber(amount) : ParseQuantity(amount);
  if (!quantity.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.substr(0, at), ": ", quantity.status().message()));
  }
  v1::WhatIf& change = options.changes.emplace_back();
  change.set_parameter(std::string(text.substr(0, at)));
  if (is_factor) {
    change.set_factor(quantity->value);
  } else {
    change.set_value(quantity->value);
  }
  if (!quantity->unit.empty()) options.units[change.parameter()] = std::string(quantity->unit);
  return absl::OkStatus();
}

void AddWhatIfOption(Verb app, WhatIfOptions& options) {
  app.EachParsed(
         "--what-if", [&options](const std::string& text) { return AddWhatIf(text, options); },
         "Answer as if a parameter were different: `c3.s*0.1`, `hockney.network.alpha=1us`; may be "
         "repeated")
      .Type("CHANGE");
}

}  // namespace cox::cli
