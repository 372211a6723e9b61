#include "cli/exit_code.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::cli {
namespace {

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

struct Meaning {
  ExitCode code;
  const char* text;
};
constexpr Meaning kMeanings[] = {
    {kExitOk, "done"},
    {kExitFailed, "failed, or doctor found something wrong"},
    {kExitUsage, "the command line is wrong"},
    {kExitNotFound,
     "not found: what the command names, such as a machine, profile, library or file"},
    {kExitUnavailable, "unavailable: no daemon, no answer in time, or the daemon is busy"},
    {kExitRefused, "refused: the question, or the content of a file"},
    {kExitInterrupted, "interrupted, as by Ctrl-C"},
};

}  // namespace

std::string ExitCodeTable() {
  std::string table;
  for (const Meaning& row : kMeanings) {
    absl::StrAppendFormat(&table, "  %3d  %s\n", static_cast<int>(row.code), row.text);
  }
  return table;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kCancelled:
      return kExitInterrupted;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return kExitUnavailable;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return kExitRefused;
    default:
      return kExitFailed;
  }
}

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
  return absl::Status(code, message);
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
