#include "cli/options/since.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace cox::cli {
namespace {

// absl's durations have no days.
bool ParseAge(absl::string_view text, absl::Duration& age) {
  double days = 0;
  absl::string_view number = text;
  if (absl::ConsumeSuffix(&number, "d") && absl::SimpleAtod(number, &days)) {
    age = days * absl::Hours(24);
    return true;
  }
  return absl::ParseDuration(text, &age);
}

}  // namespace

absl::StatusOr<absl::Time> ParseSince(absl::string_view text, absl::Time now) {
  absl::Time time;
  absl::Duration age;
  std::string error;
  bool is_read = absl::ParseTime(absl::RFC3339_full, text, &time, &error) ||
                 absl::ParseTime("%Y-%m-%d", text, &time, &error);
  if (!is_read && ParseAge(text, age) && age >= absl::ZeroDuration() &&
      age < absl::InfiniteDuration()) {
    time = now - age;
    is_read = true;
  }
  if (is_read && time >= absl::UnixEpoch() && time < absl::InfiniteFuture()) return time;
  return absl::InvalidArgumentError(absl::StrCat("is '", text,
                                                 "', must be a time since 1970 like 2026-11-20 or ",
                                                 "2026-11-20T08:00:00Z, or an age like 36h or 7d"));
}

}  // namespace cox::cli
