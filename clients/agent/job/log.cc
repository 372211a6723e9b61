#include "agent/job/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>

namespace cox::agent {
namespace {

constexpr int kMostLineBytes = 512;

std::atomic<bool> log_on{false};

void Write(const char* format, va_list arguments) {
  const int saved_errno = errno;
  char line[kMostLineBytes];
  int length = snprintf(line, sizeof(line), "cox agent[%d]: ", static_cast<int>(getpid()));
  const int more =
      vsnprintf(line + length, sizeof(line) - static_cast<size_t>(length) - 1, format, arguments);
  if (more > 0) length += more;
  if (length > kMostLineBytes - 2) length = kMostLineBytes - 2;
  // A part may be a daemon's own words.
  for (int i = 0; i < length; ++i) {
    if (static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7f) line[i] = '?';
  }
  line[length++] = '\n';
  // One write, so that lines of several ranks do not mix.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
  errno = saved_errno;
}

}  // namespace

void SetLog(bool on) { log_on.store(on, std::memory_order_relaxed); }

void Log(const char* format, ...) {
  if (!log_on.load(std::memory_order_relaxed)) return;
  va_list arguments;
  va_start(arguments, format);
  Write(format, arguments);
  va_end(arguments);
}

void Warn(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Write(format, arguments);
  va_end(arguments);
}

}  // namespace cox::agent
