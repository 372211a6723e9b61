#include "service/grpc_log.h"

#include <grpc/support/log.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "daemon/host/log_limit.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"

namespace cox::service {
namespace {

constexpr int64_t kLines = 10;
constexpr int64_t kInterval_us = 10'000'000;

void Write(gpr_log_func_args* message) {
  static daemon::LogLimit& limit = *new daemon::LogLimit(kLines, kInterval_us);  // never destroyed
  const std::optional<int64_t> suppressed = limit.Admit(daemon::NowMicros());
  if (!suppressed) return;
  const bool is_error = message->severity == GPR_LOG_SEVERITY_ERROR;
  daemon::Log(is_error ? daemon::LogLevel::kWarning : daemon::LogLevel::kDebug, "gRPC",
              {{"message", message->message}, {"suppressed", absl::StrCat(*suppressed)}});
}

}  // namespace

void TakeGrpcLog() { gpr_set_log_function(Write); }

}  // namespace cox::service
