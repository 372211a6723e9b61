// Errors as the Connect protocol writes them: a status of HTTP and a JSON object.
#ifndef COX_GATEWAY_CONNECT_ERROR_H_
#define COX_GATEWAY_CONNECT_ERROR_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::gateway {

// "not_found"; "ok" for OK and "unknown" for a number that is not a code.
absl::string_view CodeName(grpc::StatusCode code);

// The status of HTTP that Connect maps the code to; 200 for OK.
int HttpStatusOf(grpc::StatusCode code);

// Seconds until a later attempt can help, by the status's RetryInfo, rounded up: at least 1, and 1
// without RetryInfo.
int64_t RetryAfterSeconds(const grpc::Status& status);

// {"code": "not_found", "message": "...", "details": [{"type", "value", "debug"}]}. The details are
// those that `status` carries as a serialized google.rpc.Status.
std::string ErrorJson(const grpc::Status& status);

// The message that ends a stream: {} or {"error": {...}}.
std::string EndOfStreamJson(const grpc::Status& status);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CONNECT_ERROR_H_
