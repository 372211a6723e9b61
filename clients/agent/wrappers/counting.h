// Counts into this rank's totals. Called by the wrappers of non-blocking and neighbour collectives,
// of messages, and of the functions that complete requests. While the agent is off they only pass
// calls on. Any thread.
#ifndef COX_AGENT_WRAPPERS_COUNTING_H_
#define COX_AGENT_WRAPPERS_COUNTING_H_

#include <mpi.h>

#include <cstdint>

#include "agent/job/library.h"
#include "agent/job/requests.h"
#include "agent/timing/clock.h"
#include "agent/timing/recorder.h"
#include "agent/timing/totals.h"
#include "agent/wrappers/sketching.h"

namespace cox::agent {

extern constinit Requests requests;

// This rank's totals; null while the agent is off.
inline Totals* ActiveTotals() {
  Table* table = active_table.load(std::memory_order_acquire);
  return table != nullptr ? &table->totals() : nullptr;
}

// A request is a pointer in Open MPI, a number in MPICH.
template <typename Request>
uint64_t HandleOf(Request* request) {
  return reinterpret_cast<uint64_t>(request);
}
inline uint64_t HandleOf(int request) { return static_cast<uint32_t>(request); }

// Counts one call. Construct it before the call.
class Counted {
 public:
  Counted() : counts_(active_table.load(std::memory_order_relaxed) != nullptr && agent_calls == 0) {
    if (counts_) start_ns_ = NowNs();
  }

  // Call after a blocking call. Its time; zeros if it is not counted.
  PhaseTime Ends(bool succeeded, int total) const {
    Totals* totals = counts_ && succeeded ? ActiveTotals() : nullptr;
    if (totals == nullptr) return {};
    const uint64_t now_ns = NowNs();
    totals->Add(total, now_ns - start_ns_);
    return {start_ns_, now_ns};
  }

  // Call after a non-blocking call, which ends when its request completes. Whether it counts.
  bool GoesOn(bool succeeded, int total, const MPI_Request* request) const {
    if (!counts_ || !succeeded) return false;
    requests.Begin(HandleOf(*request), {total, start_ns_});
    return true;
  }

 private:
  const bool counts_;
  uint64_t start_ns_ = 0;
};

// The counted requests among those passed to MPI_Wait and similar functions; at most kMost.
class Awaited {
 public:
  Awaited(const MPI_Request* given, int count) {
    if (given == nullptr || !requests.any()) [[likely]]
      return;
    for (int i = 0; i < count && size_ < kMost; ++i) {
      const uint64_t handle = HandleOf(given[i]);
      if (requests.Has(handle)) request_[size_++] = {i, handle};
    }
  }

  void AllAreComplete() const {
    for (int i = 0; i < size_; ++i) IsComplete(request_[i].handle);
  }
  void OneIsComplete(int index) const {
    for (int i = 0; i < size_; ++i) {
      if (request_[i].index == index) IsComplete(request_[i].handle);
    }
  }
  void SomeAreComplete(const int* indices, int count) const {
    for (int i = 0; size_ > 0 && i < count; ++i) OneIsComplete(indices[i]);
  }

 private:
  static constexpr int kMost = 64;
  struct One {
    int index;
    uint64_t handle;
  };

  static void IsComplete(uint64_t handle) {
    Requests::Started started;
    if (!requests.End(handle, &started)) return;
    if (Totals* totals = ActiveTotals()) totals->Add(started.total, NowNs() - started.start_ns);
  }

  int size_ = 0;
  One request_[kMost];
};

// Counts a message that was passed to the library.
inline void CountMessage(int64_t count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL || agent_calls != 0) return;
  Totals* totals = ActiveTotals();
  int64_t type_bytes = 0;
  if (totals == nullptr || (count != 0 && !TypeBytes(type, &type_bytes))) return;
  const int64_t bytes = count * type_bytes;
  totals->Add(kMessages, static_cast<uint64_t>(bytes));
  message_phase.AddMessage(comm, to, bytes);
}

}  // namespace cox::agent

#endif  // COX_AGENT_WRAPPERS_COUNTING_H_
