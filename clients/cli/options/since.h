// Reads points in time as people type them. Pure, any thread.
#ifndef COX_CLI_OPTIONS_SINCE_H_
#define COX_CLI_OPTIONS_SINCE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace cox::cli {

// "2026-11-20", "2026-11-20T08:00:00Z", or how long before `now`: "90m", "36h", "7d".
// INVALID_ARGUMENT with the rule for anything else, and for a time before 1970.
absl::StatusOr<absl::Time> ParseSince(absl::string_view text, absl::Time now);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_SINCE_H_
