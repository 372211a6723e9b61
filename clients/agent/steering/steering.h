// Steering (COX_APPLY=1): the MPI library runs, call by call, the algorithm that the daemon's
// decision table names for the block size. With COX_APPLY=ours libcoxcoll may run in its place
// (coxcoll.h).
//
// Steering cannot deadlock: all ranks decide alike. The decision depends only on values that MPI
// requires to be equal on all ranks (the block's bytes, the communicator, a reduction's operation
// and type), on the number of calls, and on rank 0's table. The library chooses where ranks may
// differ: the v variants, counts and types of which only the product must agree, calls between
// groups, and communicators with other ranks than the table is for.
//
// Results stay the same to the last bit. Reductions that depend on the order are steered under
// COX_ASSUME=any-order only (reductions.h). An algorithm that the user has set for a collective
// stays.
//
// Below MPI_THREAD_MULTIPLE only, so one call at a time. Errors of a steered call go to the error
// handler of the program's communicator, after the selection is restored (errhandler_guard.h).
#ifndef COX_AGENT_STEERING_STEERING_H_
#define COX_AGENT_STEERING_STEERING_H_

#include <mpi.h>

#include "agent/steering/errhandler_guard.h"
#include "agent/steering/private_comm_backoff.h"
#include "agent/timing/collectives.h"
#include "agent/timing/recorder.h"
#include "agent/timing/table.h"
#include "agent/wrappers/shapes.h"
#include "domain/canary_arm.h"
#include "domain/collective.h"

namespace cox::agent {

// Call once, in MPI_Init, after LoadLibrary: null when this rank can steer, else why not. Rank 0
// starts to ask for the table.
const char* PrepareSteering();
// Call after that, when all ranks can steer (agreement.h). All ranks get the table, or none steers.
// Waits as long as fetch.h says; collective over MPI_COMM_WORLD.
void StartSteering();
// Call before MPI_Finalize.
void EndSteering();

struct Steered;  // the state of a communicator

// The bytes of a block; -1: the call must not be steered.
int64_t SteerableBytes(int64_t count, MPI_Datatype type);
int64_t SteerableReduction(int64_t count, MPI_Datatype type, MPI_Op op);
// For alltoall: also -1 if the program breaks the promise of one type, see algorithms with
// kOneType.
int64_t SteerableExchange(MPI_Datatype sent, int64_t count, MPI_Datatype received);

// For calls whose block is the same on all ranks: the block that each rank receives.
template <typename Type>
int64_t SteerBlock(int64_t count, Type type) {
  return SteerableBytes(count, ToType(type));
}

template <typename Type>
int64_t SteerExchange(Type sent, int64_t count, Type received) {
  return SteerableExchange(ToType(sent), count, ToType(received));
}

template <typename Type, typename Op>
int64_t SteerReduction(int64_t count, Type type, Op op) {
  return SteerableReduction(count, ToType(type), ToOp(op));
}

// For scatter and gather: on the root the arguments for one peer, elsewhere the rank's own.
// Converts types only on the ranks where they are significant.
template <typename Count, typename Type>
int64_t SteerRooted(MPI_Comm comm, int root, Count root_count, Type root_type, Count count,
                    Type type) {
  return CommRank(comm) == root ? SteerBlock(ToCount(root_count), root_type)
                                : SteerBlock(ToCount(count), type);
}

// For reduce_scatter: the block, or -1 when blocks differ (one algorithm needs equal blocks). MPI
// requires the same counts on all ranks.
template <typename Counts, typename Type, typename Op>
int64_t SteerParts(MPI_Comm comm, Counts counts, Type type, Op op) {
  const int size = CommSize(comm);
  for (int i = 1; i < size; ++i) {
    if (counts[i] != counts[0]) return -1;
  }
  return size > 0 ? SteerReduction(static_cast<int64_t>(counts[0]), type, op) : -1;
}

// Steers one call. Construct it before the call; call End after it, before the error handler is
// restored.
class Steering {
 public:
  template <typename Comm, typename ToBytes>
  Steering(domain::Collective collective, Comm comm, ToBytes to_bytes, ErrhandlerGuard* errhandler)
      : collective_(collective) {
    // Nested calls count too: a call that is nested on one rank may not be nested on another.
    if (applying.load(std::memory_order_acquire) && agent_calls == 0) [[unlikely]] {
      const MPI_Comm program = ToComm(comm);
      Steered* steered = Know(collective, program);
      if (steered != nullptr) Choose(program, steered, to_bytes(), errhandler);
    }
  }
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  // The communicator to run the call on.
  MPI_Comm On(MPI_Comm comm) const { return is_moved_ ? own_ : comm; }
  const MPI_Fint* On(const MPI_Fint* comm) const { return is_moved_ ? &own_fortran_ : comm; }

  // The algorithm that libcoxcoll runs; null: the MPI library runs.
  const char* coxcoll_algorithm() const { return coxcoll_algorithm_; }

  // Whether the call runs without a private communicator, so that End() needs its time.
  bool is_waiting() const { return is_waiting_; }

  // Restores the selection that was in force before the call. `time_ns`: what the call took if
  // is_waiting(), > 0.
  void End(uint64_t time_ns) {
    if (number_ != 0 && coxcoll_algorithm_ == nullptr) [[unlikely]]
      Restore();
    if (is_waiting_) [[unlikely]]
      EndWait(time_ns);
  }

  // The number that was selected; 0: none, the library chose.
  int number() const { return number_; }

  // How the call's timing counts.
  Origin origin() const {
    if (arm_ == domain::CanaryArm::kTuned) [[likely]]
      return Origin::kPassive;
    return arm_ == domain::CanaryArm::kCanary ? Origin::kCanary : Origin::kPeer;
  }

  // Whether Learn() wants the call's time.
  bool is_guarded() const { return guarded_row_ >= 0; }
  // Takes the time of a canary or its peer, on a rank that sees the whole call.
  void Learn(uint64_t time_ns) const;

 private:
  // Null when that collective is not steered on that communicator.
  static Steered* Know(domain::Collective collective, MPI_Comm comm);
  // Draws whether this call is a canary or its peer. `row`: of the table.
  void Draw(Steered* steered, int row);
  void Choose(MPI_Comm comm, Steered* steered, int64_t block_bytes, ErrhandlerGuard* errhandler);
  void BeginWait(PrivateCommBackoff* backoff);
  static void EndWait(uint64_t time_ns);
  void Restore() const;

  const domain::Collective collective_;
  int number_ = 0;
  int before_ = 0;           // the selection of an enclosing call
  bool is_waiting_ = false;  // for a private communicator
  bool is_moved_ = false;    // to a private communicator
  domain::CanaryArm arm_ = domain::CanaryArm::kTuned;
  int guarded_row_ = -1;  // of the table, for a canary or its peer on MPI_COMM_WORLD
  const char* coxcoll_algorithm_ = nullptr;
  MPI_Comm own_{};
  MPI_Fint own_fortran_{};
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_STEERING_H_
