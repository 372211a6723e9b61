// Converts all domain errors to gRPC's: code, message, and google.rpc details (ErrorInfo always,
// BadRequest for a field, RetryInfo for overload). A relay passes on those of coxd.
#ifndef COX_SERVICE_STATUS_H_
#define COX_SERVICE_STATUS_H_

#include <grpcpp/support/status.h>

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::service {

// Seconds that a client should wait after RESOURCE_EXHAUSTED.
inline constexpr double kRetryDelaySeconds = 0.25;

// UNAVAILABLE because this daemon ends: its reason is SHUTTING_DOWN. Any other UNAVAILABLE, such as
// of a database that does not answer, has the reason UNAVAILABLE.
absl::Status ShuttingDown(absl::string_view message);

// The most bytes of an error's message. It travels up to 3 times, and 3 bytes for each that is no
// ASCII; gRPC's clients take 8 KiB of headers.
inline constexpr size_t kMaxMessageBytes = 1'280;

// A longer message loses its middle: its beginning says what is wrong, its end what to do.
grpc::Status ToGrpc(const absl::Status& status);
// Seconds that an error asks to wait (RetryInfo); nullopt: it does not say.
std::optional<double> RetryDelayIn(const grpc::Status& status);
// An error of another coxd, to pass on: ToGrpc() of the result has the same details.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace cox::service

#endif  // COX_SERVICE_STATUS_H_
