// Says which deleted machines have rested long enough, by a clock that may be wrong for a moment:
// those for which it says so at two looks that are an hour of steady time apart.
//
// Thread rule: the writer's. Cannot fail.
#ifndef COX_STORE_STEPS_PURGE_LOOK_H_
#define COX_STORE_STEPS_PURGE_LOOK_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "store/limits.h"

namespace cox::store {

class PurgeLook {
 public:
  // Whether it is time for a look; then it has looked. `now_us`: microseconds since the Unix epoch;
  // `steady_us`: of a clock that nobody sets.
  bool Look(int64_t now_us, int64_t steady_us) {
    if (steady_us < next_steady_us_) return false;
    next_steady_us_ = steady_us + kPurgeEveryUs;
    purge_at_us_ = std::min(seen_us_, now_us);
    seen_us_ = now_us;
    return true;
  }
  // What is due at this time may go, in microseconds since the Unix epoch. Before the second look
  // only what an earlier daemon has begun to remove.
  int64_t purge_at_us() const { return purge_at_us_; }

 private:
  int64_t next_steady_us_ = std::numeric_limits<int64_t>::min();
  int64_t seen_us_ = kDeletedRestUs;  // at the last look
  int64_t purge_at_us_ = kDeletedRestUs;
};

}  // namespace cox::store

#endif  // COX_STORE_STEPS_PURGE_LOOK_H_
