// Selects the algorithm that the MPI library runs for one call (numbers:
// library/run_time_number.h). One implementation per library:
//
//   Open MPI  fixes its choice when a communicator is made. So the call runs on a private
//             communicator with the same ranks, made while the library's variable holds the number.
//             Each number in use has one: made in the first call that needs it, when all ranks are
//             in that call; freed with the program's communicator.
//   MPICH     reads its variables in every call: written before the call, restored after it.
//
// Below MPI_THREAD_MULTIPLE only: one thread at a time. If MPI cannot make a private communicator
// on some rank, that communicator gets no more of them on any rank; it keeps those that it has. If
// a rank already has kMostDuplicatesOfJob, the ranks ask again later (private_comm_backoff.h).
#ifndef COX_AGENT_STEERING_SELECT_H_
#define COX_AGENT_STEERING_SELECT_H_

#include <mpi.h>

#include <cstdint>

#include "agent/steering/private_comm_backoff.h"
#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

inline constexpr int kMostDuplicates = 32;        // per communicator of the program
inline constexpr int kMostDuplicatesOfJob = 256;  // of all communicators together

struct Duplicate {
  int8_t collective;
  int8_t number;
  MPI_Comm comm;
  MPI_Fint fortran;
};

// The state attached to a steered communicator.
struct Controlled {
  PrivateCommBackoff backoff;  // counts calls that want a missing duplicate
  bool is_given_up;            // MPI failed to make one: no more attempts
  int count;
  Duplicate duplicate[kMostDuplicates];
};

// Call in MPI_Init, after LoadPrivateComms. Returns null when algorithms can be selected, else the
// reason for the log. Sets `left` for each collective whose algorithm the user has set: it stays.
const char* PrepareControl(bool (&left)[domain::kCollectiveCount]);
void EndControl();

// Whether the program has set the collective's algorithm through MPI_T since then: it stays. MPI
// requires the same value on all ranks. No call to MPI but MPI_T; cannot fail.
bool IsSetByProgram(domain::Collective collective);

// The selection for one call.
struct Selection {
  bool is_selected;  // false: the library chooses
  MPI_Comm comm;     // to run the call on
  MPI_Fint fortran;  // the same, as Fortran has it
  int before;        // for Restore
};
Selection Select(MPI_Comm comm, Controlled* controlled, domain::Collective collective, int number);
// Call after that call: restores the selection that was in force before it.
void Restore(domain::Collective collective, int before);

// Call when the program's communicator is freed. `is_over`: inside MPI_Finalize, which frees the
// private communicators itself.
void Release(Controlled* controlled, bool is_over);

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_SELECT_H_
