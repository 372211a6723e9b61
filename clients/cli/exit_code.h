// The exit codes of cox, for scripts. Pure, any thread.
#ifndef COX_CLI_EXIT_CODE_H_
#define COX_CLI_EXIT_CODE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

// Scripts rely on these numbers.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,         // anything else
  kExitUsage = 2,          // the command line itself is wrong
  kExitNotFound = 3,       // a machine, profile, library, file ... that was named
  kExitUnavailable = 4,    // no daemon, no answer in time, or the daemon is busy
  kExitRefused = 5,        // the daemon or cox refuses the question, or the content of a file; a
                           // quota or a bound is reached
  kExitInterrupted = 130,  // Ctrl-C, as shells have it
};

// Makes ExitCodeOf() kExitRefused, whichever code `status` has.
void SetRefused(absl::Status& status);

// `status` with another message and the same exit code.
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

// The table for people, as lines "  CODE  MEANING".
std::string ExitCodeTable();

// kExitFailed for a code that the table does not name.
ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace cox::cli

#endif  // COX_CLI_EXIT_CODE_H_
