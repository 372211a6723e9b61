#include "service/status.h"

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "domain/errors.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace cox::service {
namespace {

const char* ReasonOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return "INVALID_FIELD";
    case absl::StatusCode::kNotFound:
      return "NOT_FOUND";
    case absl::StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case absl::StatusCode::kFailedPrecondition:
      return "PRECONDITION_FAILED";
    case absl::StatusCode::kResourceExhausted:
      return "OVERLOADED";
    case absl::StatusCode::kUnavailable:
      return "SHUTTING_DOWN";
    case absl::StatusCode::kDataLoss:
      return "DATABASE_DAMAGED";
    case absl::StatusCode::kUnimplemented:
      return "NOT_SUPPORTED";
    case absl::StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
    case absl::StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    default:
      return "INTERNAL";
  }
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // The client would receive a status without a canonical code as UNKNOWN, which says nothing.
  const absl::StatusCode code =
      status.code() == absl::StatusCode::kUnknown ? absl::StatusCode::kInternal : status.code();
  const std::string message(status.message());
  google::rpc::Status details;
  details.set_code(static_cast<int>(code));
  details.set_message(message);

  google::rpc::ErrorInfo info;
  const std::optional<double> quota_delay_s = domain::RetryDelayOf(status);
  info.set_reason(quota_delay_s ? "QUOTA_EXCEEDED" : ReasonOf(code));
  info.set_domain("coxswain");
  details.add_details()->PackFrom(info);

  if (const std::string field = domain::FieldOf(status); !field.empty()) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(field);
    violation->set_description(message);
    details.add_details()->PackFrom(bad_request);
  }
  if (code == absl::StatusCode::kResourceExhausted) {
    const double delay_s = quota_delay_s.value_or(kRetryDelaySeconds);
    const auto whole_s = static_cast<int64_t>(delay_s);
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(whole_s);
    retry.mutable_retry_delay()->set_nanos(
        static_cast<int32_t>((delay_s - static_cast<double>(whole_s)) * 1e9));
    details.add_details()->PackFrom(retry);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(code), message, details.SerializeAsString());
}

}  // namespace cox::service
