// The fast path: what happens in each wrapped call. Two clock reads and one update of the table; no
// system call, no allocation, no MPI call except local queries of sizes (shapes.h).
//
// Any thread. While the agent is off (before MPI_Init, after MPI_Finalize, COX_DISABLE, in a forked
// child) it only passes calls on.
#ifndef COX_AGENT_TIMING_RECORDER_H_
#define COX_AGENT_TIMING_RECORDER_H_

#include <atomic>
#include <cstdint>

#include "agent/timing/call_clock.h"
#include "agent/timing/clock.h"
#include "agent/timing/collectives.h"
#include "agent/timing/sketches.h"
#include "agent/timing/table.h"
#include "domain/collective.h"

namespace cox::agent {

// This rank's table; null: the agent is off.
extern constinit std::atomic<Table*> active_table;

// Whether the table must still be passed to the draining rank; TryToPass tries it.
extern constinit std::atomic<bool> passing_due;
void TryToPass(uint64_t now_ns);

// Whether synchronised samples are taken, see synchronise.h.
extern constinit std::atomic<bool> synchronising;

// Whether calls are steered, see steering.h.
extern constinit std::atomic<bool> applying;

// The agent's own MPI calls on this thread's stack. If the library or a tool behind the agent calls
// a wrapped function inside them, the agent ignores it. They always return (errhandler_guard.h).
//
// The agent never treats a program's call as nested in another one. A call that has not returned
// may have been left by a jump, on this rank only, and ranks must decide alike. Neither MPI library
// calls its own functions by the wrapped names.
extern constinit thread_local int agent_calls;

// The size of a call, or why it has none. See shapes.h.
struct Shape {
  enum Verdict : uint8_t {
    kRecord,
    kSkip,  // another rank reports this call
    kDrop,  // cannot be reported; counts as dropped
  };
  Verdict verdict = kDrop;
  int ranks = 0;
  int64_t block_bytes = 0;
  int64_t type_bytes = 0;
};

// Times one call. Construct it before the call, Stop it after. `is_needed`: time_ns() is needed
// even if the call is not recorded.
class Timing {
 public:
  explicit Timing(bool is_needed)
      : counts_(agent_calls == 0 && active_table.load(std::memory_order_relaxed) != nullptr),
        reads_(counts_ || is_needed),
        scale_(call_clock.scale()) {
    if (reads_) start_ = CallClock::Read(scale_);
  }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  // Whether to record the call.
  bool Stop() {
    if (reads_) stop_ = CallClock::Read(scale_);
    return counts_;
  }

  // After Stop().
  uint64_t time_ns() const {
    const uint64_t ns = stop_ > start_ ? CallClock::ToNs(stop_ - start_, scale_) : 0;
    return ns > 0 ? ns : 1;
  }

  PhaseTime phase_time() const {
    return {CallClock::ToNs(start_, scale_), CallClock::ToNs(stop_, scale_)};
  }

  // `number`: the selected algorithm, 0: none.
  void Record(domain::Collective collective, const Shape& shape, int number, Origin origin) const {
    Table* table = active_table.load(std::memory_order_acquire);
    if (table == nullptr) return;
    if (shape.verdict == Shape::kRecord) [[likely]] {
      table->Add(
          Key::Make(collective, shape.ranks, shape.block_bytes, shape.type_bytes, origin, number),
          time_ns());
    } else if (shape.verdict == Shape::kDrop) {
      table->Drop();
    }
    if (passing_due.load(std::memory_order_relaxed)) [[unlikely]]
      TryToPass(NowNs());
  }

 private:
  uint64_t start_ = 0;
  uint64_t stop_ = 0;
  const bool counts_;
  const bool reads_;
  const CallClock::Scale scale_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_RECORDER_H_
