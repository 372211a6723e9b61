#include "cli/resource_names.h"

#include <cstdint>
#include <limits>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "console/numbers.h"

namespace cox::cli {

absl::string_view BareMachine(absl::string_view machine) {
  return absl::StripPrefix(machine, "machines/");
}

std::string MachineName(absl::string_view machine) {
  return absl::StrCat("machines/", BareMachine(machine));
}

absl::Status CheckMachineName(absl::string_view machine) {
  const absl::string_view bare = BareMachine(machine);
  constexpr absl::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr absl::string_view kRest = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  constexpr size_t kMaxNameBytes = 63;
  if (bare.empty() || bare.size() > kMaxNameBytes ||
      kFirst.find(bare[0]) == absl::string_view::npos ||
      bare.find_first_not_of(kRest) != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is '", bare.substr(0, 80),
        "', a machine's name is 1 to 63 of a-z 0-9 . _ - and starts with a letter or digit"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ProfileName(absl::string_view text, bool revision_required) {
  const size_t at = text.find('@');
  const absl::string_view machine = BareMachine(text.substr(0, at));
  absl::Status status = CheckMachineName(machine);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("the machine ", status.message()));
  }
  if (at == absl::string_view::npos) {
    if (!revision_required) return absl::StrCat("machines/", machine, "/profiles/-");
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' names no revision: write ",
                                                   machine, "@REV (`cox profile list ", machine,
                                                   "` lists them)"));
  }
  absl::StatusOr<int64_t> revision =
      console::ParseInteger(text.substr(at + 1), 1, std::numeric_limits<int64_t>::max());
  if (!revision.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("the revision ", revision.status().message()));
  }
  return absl::StrCat("machines/", machine, "/profiles/", *revision);
}

std::string NewUuid() {
  std::random_device random;
  const auto word = [&random] { return static_cast<uint32_t>(random()); };
  const uint32_t version = (word() & 0x0FFF) | 0x4000;
  const uint32_t variant = (word() & 0x3FFF) | 0x8000;
  return absl::StrFormat("%08x-%04x-%04x-%04x-%08x%04x", word(), word() & 0xFFFF, version, variant,
                         word(), word() & 0xFFFF);
}

}  // namespace cox::cli
