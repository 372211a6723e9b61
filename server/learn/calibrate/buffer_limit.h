// How many packets a switch, or whatever stands between senders and a receiver, can hold: from
// floods of several lengths. Pure, any thread.
#ifndef COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_
#define COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_

#include <optional>

#include "absl/types/span.h"

namespace cox::learn {

// So many messages in all were handed over to one receiver in so many seconds.
struct Flood {
  double messages = 0;
  double time_s = 0;
};

// B of A. T. C. Tam, C.-L. Wang, "Realistic communication model for parallel computing on cluster",
// 1999, Eq. (4), for k messages that arrive in t: A = k / t, D = 1 / receive_gap_s, and a transport
// that loses nothing, so that what has not left is held: B = k - D t. Absent where longer floods
// still find more room (by more than 5 %), or where nothing is ever held.
std::optional<double> BufferLimit(absl::Span<const Flood> floods, double receive_gap_s);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_
