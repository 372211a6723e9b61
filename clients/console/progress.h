// Shows the progress of long work on stderr: on a terminal one line that is rewritten, else a line
// now and then. Work that takes less than two seconds shows nothing. Not thread-safe, never fails.
#ifndef COX_CONSOLE_PROGRESS_H_
#define COX_CONSOLE_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::console {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `err` must outlive the object. `columns`: of the terminal whose line can be rewritten; 0: it is
  // none.
  Progress(std::ostream* err, size_t columns, Clock::time_point start = Clock::now())
      : err_(err), columns_(columns), start_(start) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done_share` within 0..1; `text` is shown behind the bar.
  void Update(double done_share, absl::string_view text, Clock::time_point now = Clock::now());

  // Shows the progress at once, for work that is known to be long.
  void Announce() { quiet_s_ = 0; }

  // Removes the line from the terminal.
  void Clear();

 private:
  std::ostream* err_;
  size_t columns_;
  Clock::time_point start_;
  double quiet_s_ = 2;
  Clock::time_point shown_{};
  bool on_line_ = false;
};

// Columns of standard error's terminal; 0: standard error is not a terminal.
size_t ErrorColumns();

// The width for standard output: the variable COLUMNS, else the terminal's columns; at least 80. 0:
// any width, for it is not a terminal and COLUMNS is not set.
size_t OutputColumns();

// "about 40 s left", "about 3 min left"; empty while unknown.
std::string TimeLeft(double left_s);

}  // namespace cox::console

#endif  // COX_CONSOLE_PROGRESS_H_
