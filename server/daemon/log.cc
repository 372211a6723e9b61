#include "daemon/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::daemon {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string Quoted(const std::string& value) {
  const bool plain = !value.empty() && value.find_first_of(" \t\n\"=\\") == std::string::npos;
  return plain ? value : absl::StrCat("\"", absl::CEscape(value), "\"");
}

}  // namespace

absl::Status SetUpLog(absl::string_view level) {
  const spdlog::level::level_enum parsed =
      spdlog::level::from_str(std::string(level.data(), level.size()));
  if (parsed == spdlog::level::off || parsed == spdlog::level::trace) {
    return domain::InvalidField(
        "log-level", absl::StrCat("must be debug, info, warning or error; it is \"", level, "\""));
  }
  constexpr size_t kWaitingLines = 8'192;
  spdlog::init_thread_pool(kWaitingLines, 1);
  auto logger = spdlog::create_async_nb<spdlog::sinks::stderr_sink_mt>("coxd");
  logger->set_pattern("time=%Y-%m-%dT%H:%M:%S.%fZ level=%l %v", spdlog::pattern_time_type::utc);
  logger->set_level(parsed);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  return absl::OkStatus();
}

void EndLog() { spdlog::shutdown(); }

void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields) {
  spdlog::logger* const logger = spdlog::default_logger_raw();
  if (logger == nullptr || !logger->should_log(ToSpdlog(level))) return;
  std::string line = absl::StrCat("event=", Quoted(std::string(event)));
  for (const auto& [key, value] : fields) absl::StrAppend(&line, " ", key, "=", Quoted(value));
  logger->log(ToSpdlog(level), "{}", line);
}

}  // namespace cox::daemon
