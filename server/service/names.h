// Resource names: "machines/{machine}", "machines/{machine}/profiles/{revision}" and
// "machines/{machine}/switches".
#ifndef COX_SERVICE_NAMES_H_
#define COX_SERVICE_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::service {

// The machine of "machines/{machine}" or of a bare name. INVALID_ARGUMENT naming `field` unless it
// is [a-z0-9][a-z0-9._-]{0,62}.
absl::StatusOr<absl::string_view> ParseMachine(absl::string_view name, absl::string_view field);
std::string MachineName(absl::string_view machine);

// The machine of "machines/{machine}/switches".
absl::StatusOr<absl::string_view> ParseSwitches(absl::string_view name, absl::string_view field);
std::string SwitchesName(absl::string_view machine);

struct ProfileName {
  std::string machine;
  int64_t revision = 0;  // 0: "-", the active one
};
absl::StatusOr<ProfileName> ParseProfile(absl::string_view name, absl::string_view field);
std::string ProfileResourceName(absl::string_view machine, int64_t revision);

}  // namespace cox::service

#endif  // COX_SERVICE_NAMES_H_
