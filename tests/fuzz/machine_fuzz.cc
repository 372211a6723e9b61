// Machine descriptions in TOML: what is read is written as a text that is read as the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "cli/files/machine_toml.h"
#include "cox/v1/machine.pb.h"
#include "expect.h"

using cox::fuzz::Expect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  cox::v1::Machine machine;
  cox::v1::Profile profile;
  const absl::Status status = cox::cli::ReadMachineToml(text, "m.toml", machine, profile);
  if (!status.ok()) {
    Expect(absl::IsInvalidArgument(status), "another error");
    return 0;
  }
  const std::string written = cox::cli::WriteMachineToml(machine, profile);
  cox::v1::Machine machine_again;
  cox::v1::Profile profile_again;
  const absl::Status again =
      cox::cli::ReadMachineToml(written, "m.toml", machine_again, profile_again);
  Expect(again.ok(), "what was written cannot be read");
  Expect(machine_again.name() == machine.name() && machine_again.nodes() == machine.nodes() &&
             machine_again.cores_per_node() == machine.cores_per_node(),
         "another machine the second time");
  Expect(profile_again.parameters_size() == profile.parameters_size(), "parameters are lost");
  return 0;
}
