// The non-blocking collectives under way in this process: a request's handle with what was started
// and when. Fixed memory: what finds no place is not counted. A request that is completed by a
// function that the agent does not see keeps its place until the library uses its handle again.
//
// Any thread, without locks: a handle is in the hands of one thread at a time (MPI forbids others).
#ifndef COX_AGENT_JOB_REQUESTS_H_
#define COX_AGENT_JOB_REQUESTS_H_

#include <atomic>
#include <cstdint>

namespace cox::agent {

class Requests {
 public:
  struct Started {
    int total = 0;  // see totals.h
    uint64_t start_ns = 0;
  };

  // `handle`: not 0 and not 1. False: no place.
  bool Begin(uint64_t handle, const Started& started);

  // Whether the handle is one of those under way.
  bool Has(uint64_t handle) const { return Find(handle) != nullptr; }

  // Takes it out; false when it is not there.
  bool End(uint64_t handle, Started* started);

  // The usual answer is no, and costs one load.
  bool any() const { return under_way_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr int kSlots = 1024;  // a power of two
  static constexpr int kProbes = 16;
  static constexpr uint64_t kEmpty = 0;
  static constexpr uint64_t kTaken = 1;  // by a thread that is filling or emptying it

  struct Slot {
    std::atomic<uint64_t> handle{0};
    Started started;
  };

  static uint32_t Home(uint64_t handle) {
    return static_cast<uint32_t>((handle * 0x9e3779b97f4a7c15) >> 48);
  }
  const Slot* Find(uint64_t handle) const;

  std::atomic<uint32_t> under_way_{0};
  Slot slot_[kSlots];
};

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_REQUESTS_H_
