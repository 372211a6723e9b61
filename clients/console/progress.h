// A line on stderr that says how far long work has come: on a terminal one line that is rewritten,
// else a line now and then. Silent for work that is done within two seconds. Not thread-safe, never
// fails.
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

  // Shows at once, whatever the time: for work that is known to be long.
  void Announce() { quiet_s_ = 0; }

  // Takes the line away from the terminal.
  void Clear();

 private:
  std::ostream* err_;
  size_t columns_;
  Clock::time_point start_;
  double quiet_s_ = 2;
  Clock::time_point shown_{};
  bool on_line_ = false;
};

// Columns of the terminal that standard error is; 0: it is none.
size_t ErrorColumns();

// "about 40 s left", "about 3 min left"; empty where nothing is known yet.
std::string TimeLeft(double left_s);

}  // namespace cox::console

#endif  // COX_CONSOLE_PROGRESS_H_
