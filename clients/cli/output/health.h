// grpc.health.v1: whether the daemon says that it serves.
#ifndef COX_CLI_OUTPUT_HEALTH_H_
#define COX_CLI_OUTPUT_HEALTH_H_

#include <string>

#include "absl/status/status.h"
#include "cli/connection.h"

namespace cox::cli {

// OK: the service ("" stands for the daemon as a whole) serves. UNAVAILABLE: it says that it does
// not, or there is no answer. UNIMPLEMENTED: whatever listens there has no health service.
absl::Status CheckHealth(Connection& connection, const std::string& service);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_HEALTH_H_
