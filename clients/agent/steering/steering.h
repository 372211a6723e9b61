// Steering (COX_APPLY=1): the library runs, call by call, what the daemon's decision table says for
// the block size; with COX_APPLY=ours, our own library may run in its place (coxcoll.h).
//
// A deadlock cannot be: whether and how a call is steered depends on nothing but what MPI wants to
// be the same on all ranks (the block's bytes, the communicator, a reduction's operation and type,
// and how many calls there were) and on a table that all ranks have from rank 0. What is not the
// same everywhere leaves the call to the library: counts and types where only their product must
// agree, the v variants, calls between groups, communicators with other ranks than the table is
// for.
//
// Results stay what they are to the last bit, but for reductions of floating-point numbers where
// COX_ASSUME has any-order. What the user has set for a collective by hand stays.
//
// Below MPI_THREAD_MULTIPLE only, so one call at a time. Errors of a steered call go to the error
// handler of the program's communicator, when the library chooses again (errhandler_guard.h).
#ifndef COX_AGENT_STEERING_STEERING_H_
#define COX_AGENT_STEERING_STEERING_H_

#include <mpi.h>

#include "agent/steering/errhandler_guard.h"
#include "agent/timing/collectives.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"

namespace cox::agent {

// In MPI_Init, after LoadLibrary, once: whether this rank can steer (a log line says why not).
// Rank 0 begins to ask for the table.
bool PrepareSteering();
// After that, when all ranks can (agreement.h): all have the table, or none steers. Waits as long
// as fetch.h says; collective over MPI_COMM_WORLD.
void StartSteering();
// Before MPI_Finalize.
void EndSteering();

struct Steered;  // what is known of a communicator

// The bytes of a block; -1 where the call is not to be steered.
int64_t SteerableBytes(int64_t count, MPI_Datatype type);
int64_t SteerableReduction(int64_t count, MPI_Datatype type, MPI_Op op);

// Where the call tells the same on all ranks: the block that each rank receives.
template <typename Type>
int64_t SteerBlock(int64_t count, Type type) {
  return SteerableBytes(count, ToType(type));
}

template <typename Type, typename Op>
int64_t SteerReduction(int64_t count, Type type, Op op) {
  return SteerableReduction(count, ToType(type), ToOp(op));
}

// Scatter and gather: the root's arguments for one peer on the root, the other ones elsewhere. The
// types are converted only where they are significant.
template <typename Count, typename Type>
int64_t SteerRooted(MPI_Comm comm, int root, Count root_count, Type root_type, Count count,
                    Type type) {
  return CommRank(comm) == root ? SteerBlock(ToCount(root_count), root_type)
                                : SteerBlock(ToCount(count), type);
}

// A reduce_scatter's block, where all are alike: one algorithm needs that. All ranks have the same
// counts.
template <typename Counts, typename Type, typename Op>
int64_t SteerParts(MPI_Comm comm, Counts counts, Type type, Op op) {
  const int size = CommSize(comm);
  for (int i = 1; i < size; ++i) {
    if (counts[i] != counts[0]) return -1;
  }
  return size > 0 ? SteerReduction(static_cast<int64_t>(counts[0]), type, op) : -1;
}

// One call: constructed before it, ended after it, when the call's errors are still held.
class Steering {
 public:
  template <typename Comm, typename ToBytes>
  Steering(domain::Collective collective, Comm comm, ToBytes to_bytes, ErrhandlerGuard* errhandler)
      : collective_(collective) {
    // Every call counts, wherever it is made: a call inside another one on one rank may be inside
    // of none on the next.
    if (applying.load(std::memory_order_acquire) && agent_calls == 0) [[unlikely]] {
      const MPI_Comm program = ToComm(comm);
      Steered* steered = Know(collective, program);
      if (steered != nullptr) Choose(program, steered, to_bytes(), errhandler);
    }
  }
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  // What to call it on, in the place of the program's communicator.
  MPI_Comm On(MPI_Comm comm) const { return is_moved_ ? own_ : comm; }
  const MPI_Fint* On(const MPI_Fint* comm) const { return is_moved_ ? &own_fortran_ : comm; }

  // What our own library is to run in the library's place; null: the library runs.
  const char* coxcoll_algorithm() const { return coxcoll_algorithm_; }

  // The library chooses again.
  void End() {
    if (number_ != 0 && coxcoll_algorithm_ == nullptr) [[unlikely]]
      Restore();
  }

  // What the library was told, or our own one runs; 0: nothing.
  int number() const { return number_; }

 private:
  // Null where calls of that collective are not steered on that communicator.
  static Steered* Know(domain::Collective collective, MPI_Comm comm);
  void Choose(MPI_Comm comm, Steered* steered, int64_t block_bytes, ErrhandlerGuard* errhandler);
  void Restore() const;

  const domain::Collective collective_;
  int number_ = 0;
  int before_ = 0;         // what the library had been told for a call that this one is inside of
  bool is_moved_ = false;  // to a communicator of ours
  const char* coxcoll_algorithm_ = nullptr;
  MPI_Comm own_{};
  MPI_Fint own_fortran_{};
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_STEERING_H_
