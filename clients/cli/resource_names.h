// Resource names of the API from what people type, and identifiers for requests. Pure but for
// NewUuid.
#ifndef COX_CLI_RESOURCE_NAMES_H_
#define COX_CLI_RESOURCE_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

// "peak" of "peak" or "machines/peak".
absl::string_view BareMachine(absl::string_view machine);
// "machines/peak" of either.
std::string MachineName(absl::string_view machine);
// INVALID_ARGUMENT with the rule unless the bare name is [a-z0-9][a-z0-9._-]{0,62}.
absl::Status CheckMachineName(absl::string_view machine);

// "machines/M/profiles/R" of "M@R", or of "M" where `revision_required` is false (R is then "-",
// the active one). INVALID_ARGUMENT for anything else.
absl::StatusOr<std::string> ProfileName(absl::string_view text, bool revision_required);

// A random UUID (version 4), for request_id.
std::string NewUuid();

}  // namespace cox::cli

#endif  // COX_CLI_RESOURCE_NAMES_H_
