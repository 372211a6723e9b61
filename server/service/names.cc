#include "service/names.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"

namespace cox::service {
namespace {

constexpr absl::string_view kMachines = "machines/";
constexpr absl::string_view kProfiles = "/profiles/";
constexpr absl::string_view kSwitches = "/switches";

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsMachineId(absl::string_view id) {
  if (id.empty() || id.size() > 63 || !IsLowerOrDigit(id[0])) return false;
  for (char c : id) {
    if (!IsLowerOrDigit(c) && c != '.' && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<absl::string_view> ParseMachine(absl::string_view name, absl::string_view field) {
  absl::string_view id = name;
  absl::ConsumePrefix(&id, kMachines);
  if (!IsMachineId(id)) {
    return domain::InvalidField(
        field,
        absl::StrCat("must be machines/{machine} or the machine's name, of a-z, 0-9, '.', '_' "
                     "and '-', starting with a letter or digit, at most 63 long; it is \"",
                     name.substr(0, 100), "\""));
  }
  return id;
}

std::string MachineName(absl::string_view machine) { return absl::StrCat(kMachines, machine); }

absl::StatusOr<absl::string_view> ParseSwitches(absl::string_view name, absl::string_view field) {
  absl::string_view machine = name;
  if (!absl::StartsWith(name, kMachines) || !absl::ConsumeSuffix(&machine, kSwitches)) {
    return domain::InvalidField(field, absl::StrCat("must be machines/{machine}/switches; it is \"",
                                                    name.substr(0, 100), "\""));
  }
  return ParseMachine(machine, field);
}

std::string SwitchesName(absl::string_view machine) {
  return absl::StrCat(kMachines, machine, kSwitches);
}

absl::StatusOr<ProfileName> ParseProfile(absl::string_view name, absl::string_view field) {
  const size_t at = name.find(kProfiles);
  ProfileName parsed;
  if (absl::StartsWith(name, kMachines) && at != absl::string_view::npos) {
    absl::StatusOr<absl::string_view> machine = ParseMachine(name.substr(0, at), field);
    if (!machine.ok()) return machine.status();
    parsed.machine = std::string(*machine);
    const absl::string_view revision = name.substr(at + kProfiles.size());
    if (revision == "-") return parsed;
    if (absl::SimpleAtoi(revision, &parsed.revision) && parsed.revision >= 1) return parsed;
  }
  return domain::InvalidField(
      field,
      absl::StrCat("must be machines/{machine}/profiles/{revision}, the revision a number from 1 "
                   "or \"-\"; it is \"",
                   name.substr(0, 120), "\""));
}

std::string ProfileResourceName(absl::string_view machine, int64_t revision) {
  return absl::StrCat(kMachines, machine, kProfiles, revision);
}

}  // namespace cox::service
