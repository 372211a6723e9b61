#include "agent/synchronise.h"

#include <stdlib.h>

#include "agent/clock.h"
#include "agent/library.h"
#include "agent/log.h"
#include "agent/private_comm.h"
#include "agent/sampling.h"

namespace cox::agent {

struct Synchronised {
  bool usable;  // until something tells otherwise, and then never again
  bool is_private;
  int rank;
  int size;
  MPI_Comm comm;                              // the private one, when there is one
  SampleSchedule schedule[kCollectiveCount];  // placed by Know
};

namespace {

constexpr double kSecondsPerNs = 1e-9;

struct Functions {
  int (*barrier)(MPI_Comm);
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
};

// All of this module's state.
struct State {
  Functions mpi;
  int key;
  uint64_t begun_ns;
  std::atomic<uint64_t> spent_ns;  // on all samples of this rank
  std::atomic<int> privates;       // communicators of ours that there are
};
State state;

// The communicator is being freed, by all of its ranks. (What is left at MPI_Finalize the library
// frees itself.)
int Forget(MPI_Comm, int, void* attribute, void*) {
  auto* known = static_cast<Synchronised*>(attribute);
  if (known->is_private && synchronising.load(std::memory_order_relaxed)) {
    FreePrivateComm(For::kAgent, &known->comm);
    state.privates.fetch_sub(1, std::memory_order_relaxed);
  }
  free(known);
  return MPI_SUCCESS;
}

// Null: there is no such communicator.
Synchronised* Know(MPI_Comm comm) {
  if (void* kept = Kept(comm, state.key)) return static_cast<Synchronised*>(kept);
  int inter = 1;
  if (library.comm_test_inter(comm, &inter) != MPI_SUCCESS) return nullptr;
  auto* known = static_cast<Synchronised*>(KeepNew(comm, state.key, sizeof(Synchronised)));
  const uint64_t first =
      comm == library.world ? SampleSchedule::kFirstOfWorld : SampleSchedule::kFirstOfOthers;
  for (SampleSchedule& schedule : known->schedule) schedule = SampleSchedule(first);
  known->usable = inter == 0 && library.comm_size(comm, &known->size) == MPI_SUCCESS &&
                  known->size > 1 && library.comm_rank(comm, &known->rank) == MPI_SUCCESS;
  return known;
}

enum class Verdict : uint8_t { kYes, kNotYet, kNever };

// All ranks are here, in the same call. Those that cannot have one more private communicator, or
// not afford it yet, say so, and then nobody makes one.
Verdict MakePrivate(MPI_Comm comm, Synchronised* known) {
  if (!IsOfThisJob(comm, known->size)) return Verdict::kNever;
  const double spent_s =
      static_cast<double>(state.spent_ns.load(std::memory_order_relaxed)) * kSecondsPerNs;
  const double elapsed_s = static_cast<double>(NowNs() - state.begun_ns) * kSecondsPerNs;
  enum { kFull, kPoor, kReasons };
  const double own[kReasons] = {
      state.privates.load(std::memory_order_relaxed) >= kMaxPrivate ? 1.0 : 0.0,
      SampleSchedule::Affords(spent_s, elapsed_s) ? 0.0 : 1.0};
  double any[kReasons] = {1, 1};
  if (!AskAll(comm, own, any, kReasons) || any[kFull] != 0) return Verdict::kNever;
  if (any[kPoor] != 0) return Verdict::kNotYet;
  known->is_private = MakePrivateComm(For::kAgent, comm, &known->comm);
  if (!known->is_private) return Verdict::kNever;
  state.privates.fetch_add(1, std::memory_order_relaxed);
  return Verdict::kYes;
}

}  // namespace

bool PrepareSynchronising() {
  if (LoadPrivateComms() && LoadFunction(&state.mpi.barrier, "PMPI_Barrier") &&
      LoadFunction(&state.mpi.allreduce, "PMPI_Allreduce") && CreateKey(Forget, &state.key)) {
    return true;
  }
  Log("the MPI library lacks functions: no synchronised samples");
  return false;
}

void StartSynchronising() {
  state.begun_ns = NowNs();
  synchronising.store(true, std::memory_order_relaxed);
}

void Sample::Begin(Collective collective, MPI_Comm comm, Errors* errors) {
  if (comm == library.comm_null) return;
  Synchronised* known = Know(comm);
  if (known == nullptr || !known->usable) return;
  SampleSchedule& schedule = known->schedule[static_cast<int>(collective)];
  if (!schedule.IsDue()) return;
  const uint64_t begun_ns = NowNs();
  ++own_calls;
  const Verdict verdict = known->is_private ? Verdict::kYes : MakePrivate(comm, known);
  if (verdict == Verdict::kNotYet) schedule.Postpone();
  known->usable = verdict == Verdict::kNotYet ||
                  (verdict == Verdict::kYes && state.mpi.barrier(known->comm) == MPI_SUCCESS);
  --own_calls;
  start_ns_ = NowNs();
  spent_ns_ = start_ns_ - begun_ns;
  collective_ = collective;
  if (known->usable && verdict == Verdict::kYes) {
    errors->HoldOwn(comm);
    state_ = known;
  } else {
    state.spent_ns.fetch_add(spent_ns_, std::memory_order_relaxed);
  }
}

void Sample::End(uint64_t stop_ns, const Shape& shape, int number) {
  enum { kTime, kReporter, kSpent, kLast, kBegun, kValues };
  const uint64_t before_ns = state.spent_ns.load(std::memory_order_relaxed) + spent_ns_;
  const bool records = shape.verdict == Shape::kRecord;
  double own[kValues];
  own[kTime] = static_cast<double>(stop_ns - start_ns_);
  own[kReporter] = records ? state_->size - state_->rank : 0;
  own[kSpent] = static_cast<double>(before_ns) * kSecondsPerNs;
  own[kLast] = static_cast<double>(spent_ns_) * kSecondsPerNs;
  // The least time since then, as a greatest.
  own[kBegun] = -static_cast<double>(stop_ns - state.begun_ns) * kSecondsPerNs;
  double greatest[kValues] = {};
  ++own_calls;
  const int result =
      state.mpi.allreduce(own, greatest, kValues, library.number, library.max, state_->comm);
  --own_calls;
  state.spent_ns.fetch_add(spent_ns_ + (NowNs() - stop_ns), std::memory_order_relaxed);
  if (result != MPI_SUCCESS) {
    state_->usable = false;
    return;
  }
  state_->schedule[static_cast<int>(collective_)].Plan(
      {greatest[kSpent], greatest[kLast], -greatest[kBegun]});
  Table* table = active_table.load(std::memory_order_acquire);
  if (table == nullptr || !records) return;
  const Origin origin = own[kReporter] == greatest[kReporter] ? Origin::kSynchronised
                                                              : Origin::kSynchronisedElsewhere;
  table->Add(
      Key::Make(collective_, shape.ranks, shape.block_bytes, shape.type_bytes, origin, number),
      static_cast<uint64_t>(greatest[kTime]));
}

}  // namespace cox::agent
