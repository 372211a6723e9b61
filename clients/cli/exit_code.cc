#include "cli/exit_code.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"

namespace cox::cli {
namespace {

struct Meaning {
  ExitCode code;
  const char* text;
};
constexpr Meaning kMeanings[] = {
    {kExitOk, "done"},
    {kExitFailed, "failed, or doctor found something wrong"},
    {kExitUsage, "the command line is wrong"},
    {kExitNotFound,
     "not found: what the command names, such as a machine, profile, library, file, job or source"},
    {kExitUnavailable, "unavailable: no daemon, no answer in time, or the daemon is busy"},
    {kExitRefused, "refused: the question, or the content of a file; a quota or bound is reached"},
    {kExitInterrupted, "interrupted, as by Ctrl-C"},
};

constexpr absl::string_view kRefusedUrl = "cox.refused";

}  // namespace

void SetRefused(absl::Status& status) { status.SetPayload(kRefusedUrl, absl::Cord()); }

absl::Status WithMessage(const absl::Status& status, absl::string_view message) {
  absl::Status told(status.code(), message);
  if (status.GetPayload(kRefusedUrl).has_value()) SetRefused(told);
  return told;
}

std::string ExitCodeTable() {
  std::string table;
  for (const Meaning& row : kMeanings) {
    absl::StrAppendFormat(&table, "  %3d  %s\n", static_cast<int>(row.code), row.text);
  }
  return table;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.GetPayload(kRefusedUrl).has_value()) return kExitRefused;
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

}  // namespace cox::cli
