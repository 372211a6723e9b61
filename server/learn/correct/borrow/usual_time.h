// The time that a collective call usually takes on a machine with any algorithm: some latency
// for each doubling of the ranks, and some time for each byte that a rank has to send or receive.
// Only the form of this time counts: it tells how times grow where nothing was timed, until
// timings of the collective itself do. Immutable, any thread.
#ifndef COX_LEARN_CORRECT_BORROW_USUAL_TIME_H_
#define COX_LEARN_CORRECT_BORROW_USUAL_TIME_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/correct/growth.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

class UsualTime {
 public:
  // Latency and byte time as most machines have them.
  UsualTime() = default;
  // Fits both to the times of all collectives and algorithms, in relative error. Few cells leave
  // them near those of most machines. O(n).
  explicit UsualTime(absl::Span<const PreparedCell> cells);

  // In seconds, > 0. A collective outside the catalogue counts as one that moves one block.
  double At(absl::string_view collective, const Point& point) const;

  double latency_s() const { return latency_s_; }
  double byte_s() const { return byte_s_; }

 private:
  double latency_s_ = 3e-6;
  double byte_s_ = 5e-10;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_BORROW_USUAL_TIME_H_
