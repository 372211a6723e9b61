// Structured log lines on standard error: `time=... level=info event="..." key=value ...`.
//
// Any thread. Values with blanks or quotes are quoted. A thread of its own writes the lines, so
// that a full pipe or a slow journal delays no other thread. If 8,192 lines wait, the oldest are
// lost.
#ifndef COX_DAEMON_LOG_H_
#define COX_DAEMON_LOG_H_

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::daemon {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// A key and its value as text.
using LogField = std::pair<absl::string_view, std::string>;

// INVALID_ARGUMENT unless level is debug, info, warning or error. Call once, before other threads.
absl::Status SetUpLog(absl::string_view level);

// Writes what waits. Later lines are dropped. Call once, when the other threads have ended.
void EndLog();

// Queues one line; does not wait.
void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields = {});

}  // namespace cox::daemon

#endif  // COX_DAEMON_LOG_H_
