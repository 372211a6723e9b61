// A schedule: the phases of a strategy for one scenario, in order. Filled by server/strategy, read by
// every model. Holds its phases in place: building and pricing one allocates nothing.
//
// Not thread-safe; cheap to keep one per thread and Clear() it.
#ifndef COX_MODEL_SCHEDULE_H_
#define COX_MODEL_SCHEDULE_H_

#include <array>
#include <cstddef>

#include "model/traffic.h"

namespace cox::model {

class Schedule {
 public:
  // A strategy has at most a few phases per doubling of the rank count (31 at p = 2^31 - 1).
  static constexpr size_t kMaxPhases = 160;

  void Clear() { size_ = 0; }

  // Appends a phase with all fields at their defaults and returns it for filling. The caller never
  // adds more than kMaxPhases (checked by an assertion).
  Phase& Add();

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Phase* begin() const { return phases_.data(); }
  const Phase* end() const { return phases_.data() + size_; }
  const Phase& operator[](size_t i) const { return phases_[i]; }

 private:
  size_t size_ = 0;
  std::array<Phase, kMaxPhases> phases_;
};

}  // namespace cox::model

#endif  // COX_MODEL_SCHEDULE_H_
