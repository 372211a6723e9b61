#include "bench/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "absl/strings/str_format.h"

namespace cox::bench {

Progress::Progress(bool forced)
    : form_(isatty(STDERR_FILENO) == 1 ? Form::kBar
            : forced                   ? Form::kLines
                                       : Form::kNone) {}

void Progress::Show(const Pacer& pacer, double now_s, const std::string& what) {
  const int left_s = static_cast<int>(std::ceil(pacer.LeftSeconds(now_s)));
  if (form_ == Form::kLines) {
    absl::FPrintF(stderr, "progress %d/%d %d s left: %s\n", pacer.finished(), pacer.cells(), left_s,
                  what);
  }
  if (form_ == Form::kBar) {
    constexpr int kWidth = 24;
    const int full = kWidth * pacer.finished() / pacer.cells();
    absl::FPrintF(stderr, "\r\033[K[%s%s] %d/%d  %d:%02d left  %s", std::string(full, '#'),
                  std::string(kWidth - full, '.'), pacer.finished(), pacer.cells(), left_s / 60,
                  left_s % 60, what);
    painted_ = true;
  }
}

void Progress::Clear() {
  if (painted_) std::fputs("\r\033[K", stderr);
  painted_ = false;
}

}  // namespace cox::bench
