// When the ranks of a communicator ask each other whether all can make a private communicator.
//
// Room may appear when other communicators are freed, so they ask again. Each question costs a
// reduction. So the number of calls between questions doubles after each refusal, and is larger if
// the ranks know that they cannot afford a private communicator earlier.
//
// The decision depends on the number of calls and on exchanged values only, so all ranks ask in the
// same call. A zero-initialised PrivateCommBackoff is ready to use. Pure; one thread at a time.
#ifndef COX_AGENT_STEERING_PRIVATE_COMM_BACKOFF_H_
#define COX_AGENT_STEERING_PRIVATE_COMM_BACKOFF_H_

#include <algorithm>
#include <cstdint>

namespace cox::agent {

// Making a private communicator costs several collectives. It pays on MPI_COMM_WORLD at once; other
// communicators may be many, with few calls on each.
inline constexpr uint32_t kCallsBeforePrivate = 100;
inline constexpr uint32_t kMostCallsBetween = 1024 * kCallsBeforePrivate;
// A call counts at most this many times the shortest one. Late ranks and a busy machine stretch
// single calls a thousandfold, so they would pay for a private communicator that is hardly used.
inline constexpr uint64_t kMostStretched = 16;

struct PrivateCommBackoff {
  uint32_t calls;         // that wanted a private communicator, since the last refusal
  uint32_t pause;         // calls to let pass after the last refusal; 0: no refusal yet
  uint32_t waited_calls;  // calls that ran without one
  uint64_t shortest_ns;   // of these, on this rank
  uint64_t waited_ns;     // what they took, stretched calls shortened

  // Call once per call that wants a private communicator: whether to ask in this call.
  bool IsDue(bool is_world) {
    const uint32_t first = is_world ? 0 : kCallsBeforePrivate;
    const uint32_t wanted = pause > 0 ? pause : first;
    if (calls <= wanted) ++calls;
    return calls > wanted;
  }

  // A call ran without a private communicator. `time_ns` > 0.
  void Wait(uint64_t time_ns) {
    if (waited_calls == 0 || time_ns < shortest_ns) shortest_ns = time_ns;
    ++waited_calls;
    waited_ns += std::min(time_ns, kMostStretched * shortest_ns);
    // The calls before may have been stretched more than is known now.
    waited_ns = std::min(waited_ns, waited_calls * kMostStretched * shortest_ns);
  }

  // The calls until this rank has waited `lacks_s` longer, at the pace so far; 0 for lacks_s <= 0.
  double CallsUntil(double lacks_s) const {
    if (!(lacks_s > 0)) return 0;
    if (waited_ns == 0) return kMostCallsBetween;
    const double calls = lacks_s * 1e9 / static_cast<double>(waited_ns) * waited_calls;
    return std::clamp<double>(calls, 1, kMostCallsBetween);
  }

  // Some rank had no room, or cannot afford it for the next `calls_until` calls. The same on all
  // ranks.
  void Refuse(double calls_until) {
    const uint32_t longer = pause > 0 ? 2 * pause : kCallsBeforePrivate;
    const double wanted = std::max<double>(longer, calls_until);
    pause = static_cast<uint32_t>(std::min<double>(wanted, kMostCallsBetween));
    calls = 0;
  }
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_PRIVATE_COMM_BACKOFF_H_
