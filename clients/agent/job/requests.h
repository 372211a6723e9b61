// The non-blocking collectives that are running in this process: maps a request's handle to what
// was started and when. Fixed memory: a request that finds no room is not counted. If a function
// that the agent does not wrap completes a request, its entry stays until the library reuses the
// handle.
//
// Any thread, without locks: only one thread at a time may use a handle (MPI requires it).
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

  // Adds a request. `handle` is neither 0 nor 1. False: no room.
  bool Begin(uint64_t handle, const Started& started);

  // Whether the handle belongs to a running request.
  bool Has(uint64_t handle) const { return Find(handle) != nullptr; }

  // Removes a request; false when it is not there.
  bool End(uint64_t handle, Started* started);

  // Whether any request is running. Costs one load.
  bool any() const { return running_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr int kSlots = 1024;  // a power of two
  static constexpr int kProbes = 16;
  static constexpr uint64_t kEmpty = 0;
  static constexpr uint64_t kTaken = 1;  // a thread is filling or emptying it

  struct Slot {
    std::atomic<uint64_t> handle{0};
    Started started;
  };

  static uint32_t Home(uint64_t handle) {
    return static_cast<uint32_t>((handle * 0x9e3779b97f4a7c15) >> 48);
  }
  const Slot* Find(uint64_t handle) const;

  std::atomic<uint32_t> running_{0};
  Slot slot_[kSlots];
};

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_REQUESTS_H_
