#include "console/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace cox::console {
namespace {

// A terminal is told ten times a second, a log only now and then.
constexpr double kTerminalInterval_s = 0.1;
constexpr double kLogInterval_s = 10;

std::string Bar(double done_share) {
  constexpr int kWidth = 24;
  const int full = std::clamp(static_cast<int>(std::lround(done_share * kWidth)), 0, kWidth);
  return absl::StrCat("[", std::string(full, '#'), std::string(kWidth - full, '.'), "]");
}

double Seconds(Progress::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr size_t kUsualColumns = 80;

// Of a terminal; 0: it is none.
size_t ColumnsOf(int file) {
  if (isatty(file) != 1) return 0;
  winsize size = {};
  if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

}  // namespace

void Progress::Update(double done_share, absl::string_view text, Clock::time_point now) {
  if (Seconds(now - start_) < quiet_s_) return;
  const double since_s = shown_ == Clock::time_point{} ? 1e9 : Seconds(now - shown_);
  if (columns_ > 0) {
    if (since_s < kTerminalInterval_s) return;
    // Back to the start of the line, and clear what was longer before. A line that wraps could not
    // be rewritten: it is cut, and the last column stays free.
    std::string line = absl::StrFormat("%s %3.0f %% %s", Bar(done_share), 100 * done_share, text);
    if (line.size() >= columns_) line.resize(columns_ - 1);
    *err_ << "\r" << line << "\033[K" << std::flush;
    on_line_ = true;
  } else {
    if (since_s < kLogInterval_s) return;
    *err_ << absl::StrFormat("%3.0f %% %s\n", 100 * done_share, text) << std::flush;
  }
  shown_ = now;
}

void Progress::Clear() {
  if (on_line_) *err_ << "\r\033[K" << std::flush;
  on_line_ = false;
}

size_t ErrorColumns() { return ColumnsOf(STDERR_FILENO); }

size_t OutputColumns() {
  size_t columns = ColumnsOf(STDOUT_FILENO);
  size_t stated = 0;
  if (const char* text = std::getenv("COLUMNS");
      text != nullptr && absl::SimpleAtoi(text, &stated)) {
    columns = stated;
  }
  return columns == 0 ? 0 : std::max(columns, kUsualColumns);
}

std::string TimeLeft(double left_s) {
  if (!(left_s >= 0)) return "";
  if (left_s < 90) return absl::StrFormat("about %.0f s left", std::ceil(left_s));
  return absl::StrFormat("about %.0f min left", std::ceil(left_s / 60));
}

}  // namespace cox::console
