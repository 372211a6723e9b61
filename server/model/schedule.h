// A schedule: the phases of a strategy for one scenario, in order. server/strategy fills it, every
// model reads it. It holds its phases in place: building and pricing one allocates nothing.
//
// Not thread-safe; keep one per thread and Clear() it.
#ifndef COX_MODEL_SCHEDULE_H_
#define COX_MODEL_SCHEDULE_H_

#include <array>
#include <cassert>
#include <cstddef>

#include "model/traffic.h"

namespace cox::model {

class Schedule {
 public:
  // A strategy has at most a few phases per doubling of the rank count (31 at p = 2^31 - 1).
  static constexpr size_t kMaxPhases = 160;

  Schedule() {}  // unused phases stay uninitialised; Add() sets them

  // Empties the schedule, for ranks on a network of this extent.
  void Clear(const Extent& whole = {}) {
    size_ = 0;
    whole_ = whole;
  }

  // The network that joins all nodes in use. A phase on submachines has its own extent; see
  // ExtentOf().
  const Extent& whole() const { return whole_; }
  const Extent& ExtentOf(const Phase& phase) const {
    return phase.submachine.processors_count > 0 ? phase.submachine : whole_;
  }

  // Appends a phase with all fields at their defaults and returns it. The caller never adds more
  // than kMaxPhases (an assertion checks it).
  Phase& Add() {
    Phase& phase = AddUnset();
    phase = Phase();
    return phase;
  }

  // Appends a phase with unspecified fields: the caller sets every one.
  Phase& AddUnset() {
    assert(size_ < kMaxPhases);
    return phases_[size_++];
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Phase* begin() const { return phases_.data(); }
  const Phase* end() const { return phases_.data() + size_; }
  const Phase& operator[](size_t i) const { return phases_[i]; }

 private:
  size_t size_ = 0;
  Extent whole_;
  union {
    std::array<Phase, kMaxPhases> phases_;  // a union member: not initialised as a whole
  };
};

}  // namespace cox::model

#endif  // COX_MODEL_SCHEDULE_H_
