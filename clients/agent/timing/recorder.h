// The fast path: what happens in each wrapped call. Two clock reads and one update of the table; no
// system call, no allocation, no MPI call beyond local queries of sizes (see shapes.h).
//
// Any thread. While the agent is off (before MPI_Init, after MPI_Finalize, COX_DISABLE, in a forked
// child) it only passes calls on.
#ifndef COX_AGENT_TIMING_RECORDER_H_
#define COX_AGENT_TIMING_RECORDER_H_

#include <atomic>
#include <cstdint>

#include "agent/timing/clock.h"
#include "agent/timing/collectives.h"
#include "agent/timing/table.h"
#include "domain/collective.h"

namespace cox::agent {

// This rank's table; null: the agent is off.
extern constinit std::atomic<Table*> active_table;

// Whether the table has still to be passed to the draining rank, and the try to do so.
extern constinit std::atomic<bool> passing_due;
void TryToPass(uint64_t now_ns);

// Whether synchronised samples are taken, see synchronise.h.
extern constinit std::atomic<bool> synchronising;

// Whether calls are steered, see steering.h.
extern constinit std::atomic<bool> applying;

// MPI calls of the agent's own on this thread's stack: should a library's functions or a tool
// behind the agent call a wrapped function in them, it is nobody's call. They always come back
// (errhandler_guard.h).
//
// Beyond that no call is taken for a part of another one: that an earlier call has not come back
// may mean that it was left by a jump, on this rank alone, and nothing that all ranks have to
// decide alike may depend on it. Neither MPI library calls its own functions by the names that are
// wrapped.
extern constinit thread_local int agent_calls;

// What a call was: its size, or why it has none. See shapes.h.
struct Shape {
  enum Verdict : uint8_t {
    kRecord,
    kSkip,  // this rank's time is not the collective's time: another rank reports it
    kDrop,  // cannot be reported: counted as dropped
  };
  Verdict verdict = kDrop;
  int ranks = 0;
  int64_t block_bytes = 0;
  int64_t type_bytes = 0;
};

// Times one call: constructed before it, stopped after it.
class Timing {
 public:
  Timing() : counts_(agent_calls == 0 && active_table.load(std::memory_order_relaxed) != nullptr) {
    if (counts_) start_ns_ = NowNs();
  }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  // True when the call is to be recorded.
  bool Stop() {
    if (counts_) stop_ns_ = NowNs();
    return counts_;
  }

  // `number`: what the library was told for this call, 0: nothing.
  void Record(domain::Collective collective, const Shape& shape, int number) const {
    Table* table = active_table.load(std::memory_order_acquire);
    if (table == nullptr) return;
    if (shape.verdict == Shape::kRecord) [[likely]] {
      const uint64_t time_ns = stop_ns_ > start_ns_ ? stop_ns_ - start_ns_ : 1;
      table->Add(Key::Make(collective, shape.ranks, shape.block_bytes, shape.type_bytes,
                           Origin::kPassive, number),
                 time_ns);
    } else if (shape.verdict == Shape::kDrop) {
      table->Drop();
    }
    if (passing_due.load(std::memory_order_relaxed)) [[unlikely]]
      TryToPass(stop_ns_);
  }

 private:
  uint64_t start_ns_ = 0;
  uint64_t stop_ns_ = 0;
  const bool counts_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_RECORDER_H_
