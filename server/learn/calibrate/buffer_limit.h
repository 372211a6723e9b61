// How many packets the network between senders and a receiver can hold, from floods of several
// lengths. Pure, any thread.
#ifndef COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_
#define COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_

#include <optional>

#include "absl/types/span.h"

namespace cox::learn {

// `messages` messages to one receiver were handed over in `time_s` seconds.
struct Flood {
  double messages = 0;
  double time_s = 0;
};

// B of A. T. C. Tam, C.-L. Wang, "Realistic communication model for parallel computing on cluster",
// 1999, Eq. (4), for k messages that arrive in t: A = k / t, D = 1 / receive_gap_s. The transport
// loses nothing, so it holds what has not left: B = k - D t. Absent where longer floods find more
// than 5 % more room, or where nothing is ever held. O(n log n).
std::optional<double> BufferLimit(absl::Span<const Flood> floods, double receive_gap_s);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_BUFFER_LIMIT_H_
