// The exit codes of cox, for scripts. Pure, any thread.
#ifndef COX_CLI_EXIT_CODE_H_
#define COX_CLI_EXIT_CODE_H_

#include <string>

#include "absl/status/status.h"

namespace cox::cli {

// Scripts rely on these numbers.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,         // anything else
  kExitUsage = 2,          // the command line itself is wrong
  kExitNotFound = 3,       // a machine, profile, library, file ... that was named
  kExitUnavailable = 4,    // no daemon, or no answer in time
  kExitRefused = 5,        // the daemon or cox refuses the question, or the content of a file
  kExitInterrupted = 130,  // Ctrl-C, as shells have it
};

// The table for people, as lines "  CODE  MEANING".
std::string ExitCodeTable();

// kExitFailed for a code that the table does not name.
ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace cox::cli

#endif  // COX_CLI_EXIT_CODE_H_
