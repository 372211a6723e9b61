// When the ranks of a communicator ask each other whether all have room for a private communicator.
//
// Room may appear when other communicators are freed, so they ask again. Each question costs a
// reduction, so the number of calls between questions doubles after each refusal.
//
// The decision depends on the number of calls only, so all ranks ask in the same call. A
// zero-initialised PrivateCommBackoff is ready to use. Pure; one thread at a time.
#ifndef COX_AGENT_JOB_PRIVATE_COMM_BACKOFF_H_
#define COX_AGENT_JOB_PRIVATE_COMM_BACKOFF_H_

#include <cstdint>

namespace cox::agent {

// Making a private communicator costs several collectives. It pays on MPI_COMM_WORLD at once; other
// communicators may be many, with few calls on each.
inline constexpr uint32_t kCallsBeforePrivate = 100;
inline constexpr uint32_t kMostCallsBetween = 1024 * kCallsBeforePrivate;

struct PrivateCommBackoff {
  uint32_t calls;      // that wanted a private communicator, since the last refusal
  uint32_t pause;      // calls to let pass after the last refusal; 0: no refusal yet
  uint64_t waited_ns;  // what the calls took that ran without one, on this rank

  // Call once per call that wants a private communicator: whether to ask in this call.
  bool IsDue(bool is_world) {
    const uint32_t first = is_world ? 0 : kCallsBeforePrivate;
    const uint32_t wanted = pause > 0 ? pause : first;
    if (calls <= wanted) ++calls;
    return calls > wanted;
  }

  // Some rank had no room.
  void Refuse() {
    const uint32_t longer = pause > 0 ? 2 * pause : kCallsBeforePrivate;
    pause = longer < kMostCallsBetween ? longer : kMostCallsBetween;
    calls = 0;
  }
};

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_PRIVATE_COMM_BACKOFF_H_
