// Cuts a message into segments for a pipeline. Pure value, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTS_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "strategy/scenario.h"

namespace cox::strategy {

struct Segments {
  // A segment holds whole elements, rounded to the nearest, as in Open MPI. One segment if
  // wanted_bytes is less than an element or at least the message.
  Segments(const Scenario& scenario, double message_bytes, int64_t wanted_bytes)
      : message_bytes(message_bytes), bytes(message_bytes) {
    const int64_t element = scenario.type_bytes;
    if (wanted_bytes < element || static_cast<double>(wanted_bytes) >= message_bytes) return;
    const int64_t rest = wanted_bytes % element;
    const int64_t whole = (wanted_bytes / element + (rest > element / 2 ? 1 : 0)) * element;
    bytes = std::min(static_cast<double>(whole), message_bytes);
    count = std::ceil(message_bytes / bytes);
  }

  // Bytes of segment i: the last may be shorter.
  double BytesOf(int64_t i) const {
    return std::min(bytes, message_bytes - static_cast<double>(i) * bytes);
  }

  double message_bytes;
  double bytes;  // of each but the last
  double count = 1;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTS_H_
