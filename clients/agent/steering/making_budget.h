// Bounds the time that steering spends on making and freeing private communicators: a share of the
// time since StartMaking (COX_PRIVATE). Making one takes as long as hundreds of small calls, so
// communicators that live shortly would cost more than steering gives. A communicator of the
// program therefore gets one only when what making one took so far is at most this share of its own
// calls, too. MPI_COMM_WORLD's are always made, and count too.
//
// Only a rank itself knows what it has spent, so the ranks ask each other before they make one.
// Below MPI_THREAD_MULTIPLE only: one thread at a time. Cannot fail.
#ifndef COX_AGENT_STEERING_MAKING_BUDGET_H_
#define COX_AGENT_STEERING_MAKING_BUDGET_H_

#include <mpi.h>

#include <cstdint>

#include "agent/steering/private_comm_backoff.h"

namespace cox::agent {

// Call once, in MPI_Init. `share`: of the time; infinity: no bound.
void StartMaking(double share);

// The calls until this rank can afford a private communicator for calls on `comm`; 0: it can now.
// `backoff` knows the calls that would have run on it. At most kMostCallsBetween.
double CallsUntilMaking(MPI_Comm comm, const PrivateCommBackoff& backoff);

// Adds its own lifetime to what was spent on making `made` communicators, 0 or 1, and on freeing.
class MakingTime {
 public:
  explicit MakingTime(int made);
  ~MakingTime();
  MakingTime(const MakingTime&) = delete;
  MakingTime& operator=(const MakingTime&) = delete;

 private:
  const uint64_t start_ns_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_MAKING_BUDGET_H_
