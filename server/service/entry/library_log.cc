#include "service/entry/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "daemon/host/log_limit.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"

namespace cox::service {
namespace {

constexpr int64_t kLines = 10;
constexpr int64_t kInterval_us = 10'000'000;

void Write(daemon::LogLimit& limit, daemon::LogLevel level, const char* library,
           const std::string& message) {
  const std::optional<int64_t> suppressed = limit.Admit(daemon::NowMicros());
  if (!suppressed) return;
  daemon::Log(level, library, {{"message", message}, {"suppressed", absl::StrCat(*suppressed)}});
}

void WriteGrpc(gpr_log_func_args* message) {
  static daemon::LogLimit& limit = *new daemon::LogLimit(kLines, kInterval_us);  // never destroyed
  const bool is_error = message->severity == GPR_LOG_SEVERITY_ERROR;
  Write(limit, is_error ? daemon::LogLevel::kWarning : daemon::LogLevel::kDebug, "gRPC",
        message->message);
}

void WriteProtobuf(google::protobuf::LogLevel /*level*/, const char* /*file*/, int /*line*/,
                   const std::string& message) {
  static daemon::LogLimit& limit = *new daemon::LogLimit(kLines, kInterval_us);  // never destroyed
  Write(limit, daemon::LogLevel::kWarning, "Protocol Buffers", message);
}

}  // namespace

void TakeLibraryLogs() {
  gpr_set_log_function(WriteGrpc);
  google::protobuf::SetLogHandler(WriteProtobuf);
}

}  // namespace cox::service
