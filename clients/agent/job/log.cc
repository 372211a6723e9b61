#include "agent/job/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>

namespace cox::agent {
namespace {

std::atomic<bool> log_on{false};

}  // namespace

void SetLog(bool on) { log_on.store(on, std::memory_order_relaxed); }

void Log(const char* format, ...) {
  if (!log_on.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;
  char line[512];
  int length = snprintf(line, sizeof(line), "cox agent[%d]: ", static_cast<int>(getpid()));
  va_list arguments;
  va_start(arguments, format);
  // The analyzer does not see va_start here.
  const int more =  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
      vsnprintf(line + length, sizeof(line) - static_cast<size_t>(length) - 1, format, arguments);
  va_end(arguments);
  if (more > 0) length += more;
  if (length > static_cast<int>(sizeof(line)) - 2) length = static_cast<int>(sizeof(line)) - 2;
  line[length++] = '\n';
  // One write, so that lines of several ranks do not mix.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
  errno = saved_errno;
}

}  // namespace cox::agent
