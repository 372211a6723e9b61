// How a library is told, for one call, which algorithm to run (the numbers: library/
// run_time_number.h). A file per library:
//
//   Open MPI  copies its choice into a communicator when that is made, so the call runs on a
//             private communicator with the same ranks that was made with the number in the
//             library's variable. One per number in use, made when it is first needed (all ranks
//             are in the same call then), freed with the program's communicator.
//   MPICH     reads its variables in every call: written before it, written back after it.
//
// Below MPI_THREAD_MULTIPLE only: one thread at a time. Where MPI makes no private communicator, on
// any rank, the communicator gets no more of them, on all ranks alike; those that it has stay in
// use. Where one of the ranks has its kMostDuplicatesOfJob, they ask again later (call_backoff.h).
#ifndef COX_AGENT_JOB_CONTROL_H_
#define COX_AGENT_JOB_CONTROL_H_

#include <mpi.h>

#include <cstdint>

#include "agent/job/call_backoff.h"
#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

inline constexpr int kMostDuplicates = 32;        // of one of the program's communicators
inline constexpr int kMostDuplicatesOfJob = 256;  // of all of them at a time

struct Duplicate {
  int8_t collective;
  int8_t number;
  MPI_Comm comm;
  MPI_Fint fortran;
};

// What is kept with a communicator that is steered.
struct Controlled {
  CallBackoff backoff;  // in calls that want a duplicate that there is not
  bool is_given_up;     // MPI makes no more
  int count;
  Duplicate duplicate[kMostDuplicates];
};

// In MPI_Init, after LoadPrivateComms: whether this library can be told here, and why not, in words
// for the log. Sets `left` for the collectives that are the program's user's business: who has set
// one by hand keeps it.
const char* PrepareControl(bool (&left)[domain::kCollectiveCount]);
void EndControl();

// For one call: on which communicator it is to run.
struct Selection {
  bool is_selected;  // false: as the library wants
  MPI_Comm comm;
  MPI_Fint fortran;
  int before;  // for Restore
};
Selection Select(MPI_Comm comm, Controlled* controlled, domain::Collective collective, int number);
// After that call: what was told before it holds again.
void Restore(domain::Collective collective, int before);

// The program's communicator is being freed. `is_over`: MPI_Finalize frees all the rest itself.
void Release(Controlled* controlled, bool is_over);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_CONTROL_H_
