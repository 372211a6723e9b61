// How a failed RPC becomes the one line that a person reads. Pure, any thread.
#ifndef COX_CLI_RPC_ERROR_H_
#define COX_CLI_RPC_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace grpc {
class Status;
}

namespace cox::cli {

// Keeps the canonical code, except that CANCELLED becomes UNAVAILABLE. The message says what
// happened, in which field, and why (the reason's name). If the daemon cannot be reached, it also
// says what to do. `server` is the address as the user gave it. The exit code of a status with the
// reason QUOTA_EXCEEDED is kExitRefused. Of a report that a relay keeps, domain::IsSpooled().
absl::Status FromRpc(const grpc::Status& status, absl::string_view server);

// The delay that a RESOURCE_EXHAUSTED answer asks for, in seconds; 0: none is given.
double RetryDelayOf(const grpc::Status& status);

}  // namespace cox::cli

#endif  // COX_CLI_RPC_ERROR_H_
