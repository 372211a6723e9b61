// grpc.health.v1: whether the daemon says that it serves.
#ifndef COX_CLI_OUTPUT_HEALTH_H_
#define COX_CLI_OUTPUT_HEALTH_H_

#include <string>

#include "absl/status/status.h"
#include "cli/connection.h"

namespace cox::cli {

// OK: the service serves ("": the daemon as a whole). UNAVAILABLE: it does not serve, or does not
// answer. UNIMPLEMENTED: the server at this address has no health service, so it is not coxd.
absl::Status CheckHealth(Connection& connection, const std::string& service);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_HEALTH_H_
