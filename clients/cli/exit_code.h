// The exit codes of cox, and how a failed RPC becomes the one line that a person reads. Pure, any
// thread.
#ifndef COX_CLI_EXIT_CODE_H_
#define COX_CLI_EXIT_CODE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace grpc {
class Status;
}

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

// Keeps the canonical code, except that CANCELLED becomes UNAVAILABLE. The message says what
// happened, in which field, and why (the reason's name). If the daemon cannot be reached, it also
// says what to do. `server` is the address as the user gave it.
absl::Status FromRpc(const grpc::Status& status, absl::string_view server);

// The delay that a RESOURCE_EXHAUSTED answer asks for, in seconds; 0: none is given.
double RetryDelayOf(const grpc::Status& status);

}  // namespace cox::cli

#endif  // COX_CLI_EXIT_CODE_H_
