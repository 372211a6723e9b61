#include "service/status.h"

#include <optional>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/errors.h"
#include "domain/reports/spooled.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace cox::service {
namespace {

// google.rpc details that another coxd has made, serialised.
constexpr absl::string_view kDetailsUrl = "cox.grpc_details";
// Marks an error by the end of this daemon.
constexpr absl::string_view kShuttingDownUrl = "cox.shutting_down";

constexpr absl::string_view kLeftOut = " [...] ";
constexpr size_t kTailBytes = 320;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }  // in UTF-8

std::string Shortened(absl::string_view message) {
  if (message.size() <= kMaxMessageBytes) return std::string(message);
  size_t head = kMaxMessageBytes - kLeftOut.size() - kTailBytes;
  size_t tail = message.size() - kTailBytes;
  while (head > 0 && !StartsCharacter(message[head])) --head;
  while (tail < message.size() && !StartsCharacter(message[tail])) ++tail;
  return absl::StrCat(message.substr(0, head), kLeftOut, message.substr(tail));
}

// `code`: as the client will see it.
const char* ReasonOf(const absl::Status& status, absl::StatusCode code) {
  if (domain::RetryDelayOf(status).has_value()) return "QUOTA_EXCEEDED";
  if (domain::IsSpooled(status)) return domain::kSpooledReason;
  if (status.GetPayload(kShuttingDownUrl).has_value()) return "SHUTTING_DOWN";
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
      return "UNAVAILABLE";
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

absl::Status ShuttingDown(absl::string_view message) {
  absl::Status status = absl::UnavailableError(message);
  status.SetPayload(kShuttingDownUrl, absl::Cord());
  return status;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // The client would receive a status without a canonical code as UNKNOWN, which says nothing.
  const absl::StatusCode code =
      status.code() == absl::StatusCode::kUnknown ? absl::StatusCode::kInternal : status.code();
  const std::string message = Shortened(status.message());
  if (const auto details = status.GetPayload(kDetailsUrl); details.has_value()) {
    return grpc::Status(static_cast<grpc::StatusCode>(code), message, std::string(*details));
  }
  google::rpc::Status details;
  details.set_code(static_cast<int>(code));
  details.set_message(message);

  google::rpc::ErrorInfo info;
  info.set_reason(ReasonOf(status, code));
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
    const double delay_s = domain::RetryDelayOf(status).value_or(kRetryDelaySeconds);
    const auto whole_s = static_cast<int64_t>(delay_s);
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(whole_s);
    retry.mutable_retry_delay()->set_nanos(
        static_cast<int32_t>((delay_s - static_cast<double>(whole_s)) * 1e9));
    details.add_details()->PackFrom(retry);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(code), message, details.SerializeAsString());
}

std::optional<double> RetryDelayIn(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  google::rpc::RetryInfo retry;
  for (const auto& detail : details.details()) {
    if (!detail.UnpackTo(&retry)) continue;
    return static_cast<double>(retry.retry_delay().seconds()) + retry.retry_delay().nanos() * 1e-9;
  }
  return std::nullopt;
}

absl::Status FromGrpc(const grpc::Status& status) {
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status details;
  if (result.ok() || status.error_details().empty() ||
      !details.ParseFromString(status.error_details())) {
    return result;
  }
  // A stream's answers have the delay as a field.
  if (const std::optional<double> delay_s = RetryDelayIn(status);
      delay_s && absl::IsResourceExhausted(result)) {
    result = domain::QuotaExceeded(status.error_message(), *delay_s);
  }
  result.SetPayload(kDetailsUrl, absl::Cord(status.error_details()));
  return result;
}

}  // namespace cox::service
