// Long work asks now and then whether its caller still waits, and ends early if not.
//
// Header only; one thread at a time; cannot fail.
#ifndef COX_DOMAIN_SHARING_CALLER_WATCH_H_
#define COX_DOMAIN_SHARING_CALLER_WATCH_H_

#include <functional>

#include "absl/status/status.h"

namespace cox::domain {

// True: the caller no longer waits. Asked on the thread of the work. Empty: it always waits.
using IsCancelled = std::function<bool()>;

// What work answers that ended early.
inline absl::Status CallerGone() { return absl::CancelledError("the call was cancelled"); }

// For work in small steps.
class CallerWatch {
 public:
  // Asks once in `steps_per_question` >= 1 steps, the first time after as many. `is_cancelled`
  // outlives it.
  CallerWatch(const IsCancelled& is_cancelled, int steps_per_question)
      : is_cancelled_(is_cancelled), steps_per_question_(steps_per_question) {}

  // Before each step. True from the time on when the caller was found gone.
  bool IsGone() {
    if (is_gone_ || ++steps_ < steps_per_question_) return is_gone_;
    steps_ = 0;
    return is_gone_ = is_cancelled_ && is_cancelled_();
  }

  // CANCELLED if the caller was found gone.
  absl::Status status() const { return is_gone_ ? CallerGone() : absl::OkStatus(); }

 private:
  const IsCancelled& is_cancelled_;
  const int steps_per_question_;
  int steps_ = 0;
  bool is_gone_ = false;
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHARING_CALLER_WATCH_H_
