// When the ranks of a communicator ask one another whether all have room for one more private
// communicator. There may be none now and some later, when others have been freed, so they ask
// again; but each time costs a reduction, so after each refusal they wait for twice as many calls.
//
// Counts calls and nothing else, so all ranks of a communicator ask in the same call. Begins all
// zero. Pure, one thread at a time.
#ifndef COX_AGENT_JOB_CALL_BACKOFF_H_
#define COX_AGENT_JOB_CALL_BACKOFF_H_

#include <cstdint>

namespace cox::agent {

// Making a communicator takes several collectives. MPI_COMM_WORLD is worth it at once; of others a
// program may make any number, and call little on each.
inline constexpr uint32_t kCallsBeforePrivate = 100;
inline constexpr uint32_t kMostCallsBetween = 1024 * kCallsBeforePrivate;

struct CallBackoff {
  uint32_t calls;  // that one was wanted for, since the last refusal
  uint32_t pause;  // how many of them the last refusal keeps waiting; 0: none was refused

  // Once per call that one is wanted for: whether to ask in this call.
  bool IsDue(bool is_world) {
    const uint32_t first = is_world ? 0 : kCallsBeforePrivate;
    const uint32_t wanted = pause > 0 ? pause : first;
    if (calls <= wanted) ++calls;
    return calls > wanted;
  }

  // Some rank has no room.
  void Refuse() {
    const uint32_t longer = pause > 0 ? 2 * pause : kCallsBeforePrivate;
    pause = longer < kMostCallsBetween ? longer : kMostCallsBetween;
    calls = 0;
  }
};

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_CALL_BACKOFF_H_
