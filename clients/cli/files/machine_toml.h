// The machine description of the interchange files: TOML to API messages and back. Pure, any
// thread. Every unknown key, missing key and value out of range is INVALID_ARGUMENT "FILE:LINE:
// key: rule".
#ifndef COX_CLI_FILES_MACHINE_TOML_H_
#define COX_CLI_FILES_MACHINE_TOML_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::v1 {
class Machine;
class Profile;
}  // namespace cox::v1

namespace cox::cli {

// `file` is for messages. The profile's parameters are empty where the description has none.
absl::Status ReadMachineToml(absl::string_view text, absl::string_view file, v1::Machine& machine,
                             v1::Profile& profile);

// Reads back as the same machine and parameters. The rest of the profile (revision, provenance,
// note) is a comment.
std::string WriteMachineToml(const v1::Machine& machine, const v1::Profile& profile);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_MACHINE_TOML_H_
