#include "cli/rpc_error.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "domain/reports/spooled.h"

namespace cox::cli {
namespace {

// coxd's reason for RESOURCE_EXHAUSTED by a quota or a bound. Its other reason is OVERLOADED.
constexpr absl::string_view kQuotaExceeded = "QUOTA_EXCEEDED";

// An empty status where there are no details.
google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) details.Clear();
  return details;
}

std::string Unreachable(const grpc::Status& status, absl::string_view server) {
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::StrCat("no answer from coxd at ", server,
                        " in time; check it with `cox doctor`, or wait longer with --timeout");
  }
  return absl::StrCat("cannot reach coxd at ", server, " (", status.error_message(),
                      "); start it, or name its address with --server or COX_SERVER");
}

// A daemon that answers with UNAVAILABLE itself sends details; a connection that fails has none.
bool IsConnectionFailure(const grpc::Status& status) {
  return status.error_details().empty() &&
         (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
          status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED);
}

// Puts the field first, and its own description last, unless the message says them already.
void AddViolations(const google::rpc::BadRequest& bad_request, std::string& message) {
  for (const auto& violation : bad_request.field_violations()) {
    if (violation.field().empty()) continue;
    if (!absl::StrContains(message, violation.field())) {
      message = absl::StrCat(violation.field(), ": ", message);
    }
    if (!violation.description().empty() && !absl::StrContains(message, violation.description())) {
      absl::StrAppend(&message, "; ", violation.description());
    }
  }
}

}  // namespace

absl::Status FromRpc(const grpc::Status& status, absl::string_view server) {
  if (status.ok()) return absl::OkStatus();
  // cox cancels no call whose answer it waits for: the daemon has, because it ends.
  const auto code = status.error_code() == grpc::StatusCode::CANCELLED
                        ? absl::StatusCode::kUnavailable
                        : static_cast<absl::StatusCode>(status.error_code());
  if (IsConnectionFailure(status)) return absl::Status(code, Unreachable(status, server));
  std::string message = status.error_message();
  std::string reason;
  // Named: the details live in it.
  const google::rpc::Status rich = DetailsOf(status);
  for (const google::protobuf::Any& detail : rich.details()) {
    google::rpc::BadRequest bad_request;
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&bad_request)) {
      AddViolations(bad_request, message);
    } else if (detail.UnpackTo(&info)) {
      reason = info.reason();
    }
  }
  if (!reason.empty()) absl::StrAppend(&message, " [", reason, "]");
  if (message.empty()) message = absl::StrCat("coxd answers ", absl::StatusCodeToString(code));
  if (reason == domain::kSpooledReason) return domain::Spooled(message);
  absl::Status told(code, message);
  // A busy daemon takes the same call soon; a full one waits for somebody to make room.
  if (reason == kQuotaExceeded) SetRefused(told);
  return told;
}

double RetryDelayOf(const grpc::Status& status) {
  const google::rpc::Status rich = DetailsOf(status);
  for (const google::protobuf::Any& detail : rich.details()) {
    google::rpc::RetryInfo retry;
    if (detail.UnpackTo(&retry)) {
      return static_cast<double>(retry.retry_delay().seconds()) +
             1e-9 * retry.retry_delay().nanos();
    }
  }
  return 0;
}

}  // namespace cox::cli
