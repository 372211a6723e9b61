#include "cli/options/what_if.h"

#include <string>

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

absl::StatusOr<double> ParseQuantity(absl::string_view text, bool* is_size) {
  *is_size = false;
  size_t end = text.find_first_not_of("0123456789+-.eE");
  if (end == absl::string_view::npos) end = text.size();
  absl::string_view unit = text.substr(end);
  if (unit.empty()) return console::ParseNonNegative(text);
  if (!absl::ConsumeSuffix(&unit, "/byte")) absl::ConsumeSuffix(&unit, "/B");
  for (const TimeUnit& row : kTimeUnits) {
    if (unit != row.name) continue;
    const absl::StatusOr<double> value = console::ParseNonNegative(text.substr(0, end));
    if (!value.ok()) return value.status();
    return *value * row.seconds;
  }
  const absl::StatusOr<int64_t> bytes = console::ParseSize(text);
  *is_size = bytes.ok();
  if (bytes.ok()) return static_cast<double>(*bytes);
  return absl::InvalidArgumentError(
      absl::StrCat("is '", text.substr(0, 40),
                   "', not a number with s, ms, us, ns or ps, the same "
                   "with /B, or a size"));
}

}  // namespace

absl::StatusOr<v1::WhatIf> ParseWhatIf(absl::string_view text, bool* is_size) {
  const size_t at = text.find_first_of("*=");
  if (at == absl::string_view::npos || at == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text.substr(0, 60), "' is not a change: write PARAMETER*FACTOR or PARAMETER=VALUE"));
  }
  const bool is_factor = text[at] == '*';
  const absl::string_view amount = text.substr(at + 1);
  bool is_in_bytes = false;
  const absl::StatusOr<double> number =
      is_factor ? console::ParseNonNegative(amount) : ParseQuantity(amount, &is_in_bytes);
  if (!number.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.substr(0, at), ": ", number.status().message()));
  }
  if (is_size != nullptr) *is_size = is_in_bytes;
  v1::WhatIf change;
  change.set_parameter(std::string(text.substr(0, at)));
  if (is_factor) {
    change.set_factor(*number);
  } else {
    change.set_value(*number);
  }
  return change;
}

void AddWhatIfOption(Verb app, WhatIfOptions& options) {
  app.EachParsed(
         "--what-if",
         [&options](const std::string& text) {
           bool is_size = false;
           absl::StatusOr<v1::WhatIf> change = ParseWhatIf(text, &is_size);
           if (!change.ok()) return change.status();
           if (is_size) options.sizes.insert(change->parameter());
           options.changes.push_back(*change);
           return absl::OkStatus();
         },
         "Answer as if a parameter were different: `c3.s*0.1`, `hockney.network.alpha=1us`; may be "
         "repeated")
      .Type("CHANGE");
}

}  // namespace cox::cli
