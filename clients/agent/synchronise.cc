#include "agent/synchronise.h"

#include <stdlib.h>

#include "agent/agreement.h"
#include "agent/clock.h"
#include "agent/library.h"
#include "agent/log.h"
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
  int (*comm_create)(MPI_Comm, MPI_Group, MPI_Comm*);
  int (*comm_free)(MPI_Comm*);
  int (*comm_group)(MPI_Comm, MPI_Group*);
  int (*group_size)(MPI_Group, int*);
  int (*group_intersection)(MPI_Group, MPI_Group, MPI_Group*);
  int (*group_free)(MPI_Group*);
  int (*set_errhandler)(MPI_Comm, MPI_Errhandler);
  int (*create_keyval)(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*);
  int (*set_attr)(MPI_Comm, int, void*);
  int (*get_attr)(MPI_Comm, int, void*, int*);
};

// All of this module's state.
struct State {
  Functions mpi;
  int keyval;
  uint64_t begun_ns;
  std::atomic<uint64_t> spent_ns;  // on all samples of this rank
  std::atomic<int> privates;       // communicators of ours that there are
};
State state;

bool LoadFunctions(Functions* mpi) {
  return LoadFunction(&mpi->barrier, "PMPI_Barrier") &&
         LoadFunction(&mpi->allreduce, "PMPI_Allreduce") &&
         LoadFunction(&mpi->comm_create, "PMPI_Comm_create") &&
         LoadFunction(&mpi->comm_free, "PMPI_Comm_free") &&
         LoadFunction(&mpi->comm_group, "PMPI_Comm_group") &&
         LoadFunction(&mpi->group_size, "PMPI_Group_size") &&
         LoadFunction(&mpi->group_intersection, "PMPI_Group_intersection") &&
         LoadFunction(&mpi->group_free, "PMPI_Group_free") &&
         LoadFunction(&mpi->set_errhandler, "PMPI_Comm_set_errhandler") &&
         LoadFunction(&mpi->create_keyval, "PMPI_Comm_create_keyval") &&
         LoadFunction(&mpi->set_attr, "PMPI_Comm_set_attr") &&
         LoadFunction(&mpi->get_attr, "PMPI_Comm_get_attr");
}

// A duplicate of a communicator begins anew.
int CopyNothing(MPI_Comm, int, void*, void*, void*, int* copies) {
  *copies = 0;
  return MPI_SUCCESS;
}

// The communicator is being freed, by all of its ranks. (What is left at MPI_Finalize the library
// frees itself.)
int Forget(MPI_Comm, int, void* attribute, void*) {
  auto* known = static_cast<Synchronised*>(attribute);
  if (known->is_private && synchronising.load(std::memory_order_relaxed)) {
    state.mpi.comm_free(&known->comm);
    state.privates.fetch_sub(1, std::memory_order_relaxed);
  }
  free(known);
  return MPI_SUCCESS;
}

// Null: no memory, or no such communicator.
Synchronised* Know(MPI_Comm comm) {
  void* attribute = nullptr;
  int found = 0;
  if (state.mpi.get_attr(comm, state.keyval, &attribute, &found) != MPI_SUCCESS) return nullptr;
  if (found != 0) return static_cast<Synchronised*>(attribute);
  auto* known = static_cast<Synchronised*>(calloc(1, sizeof(Synchronised)));
  if (known == nullptr) return nullptr;
  const uint64_t first =
      comm == library.world ? SampleSchedule::kFirstOfWorld : SampleSchedule::kFirstOfOthers;
  for (SampleSchedule& schedule : known->schedule) schedule = SampleSchedule(first);
  int inter = 1;
  known->usable = library.comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0 &&
                  library.comm_size(comm, &known->size) == MPI_SUCCESS && known->size > 1 &&
                  library.comm_rank(comm, &known->rank) == MPI_SUCCESS;
  if (state.mpi.set_attr(comm, state.keyval, known) == MPI_SUCCESS) return known;
  free(known);
  return nullptr;
}

// Whether all ranks are of this job. The same answer on all of them: those of another job see the
// others as strangers.
bool IsOfThisJob(MPI_Comm comm, MPI_Group group, int size) {
  if (comm == library.world) return true;
  const Functions& mpi = state.mpi;
  MPI_Group world;
  MPI_Group common;
  int common_size = 0;
  if (mpi.comm_group(library.world, &world) != MPI_SUCCESS) return false;
  if (mpi.group_intersection(group, world, &common) == MPI_SUCCESS) {
    mpi.group_size(common, &common_size);
    // An empty one is predefined.
    if (common_size > 0) mpi.group_free(&common);
  }
  mpi.group_free(&world);
  return common_size == size;
}

enum class Verdict : uint8_t { kYes, kNotYet, kNever };

// All ranks are here, in the same call. Those that cannot have one more private communicator, or
// not afford it yet, say so, and then nobody makes one.
Verdict MakePrivate(MPI_Comm comm, Synchronised* known) {
  const Functions& mpi = state.mpi;
  MPI_Group group;
  if (mpi.comm_group(comm, &group) != MPI_SUCCESS) return Verdict::kNever;
  Verdict verdict = Verdict::kNever;
  if (IsOfThisJob(comm, group, known->size)) {
    const double spent_s =
        static_cast<double>(state.spent_ns.load(std::memory_order_relaxed)) * kSecondsPerNs;
    const double elapsed_s = static_cast<double>(NowNs() - state.begun_ns) * kSecondsPerNs;
    enum { kFull, kPoor, kReasons };
    const double own[kReasons] = {
        state.privates.load(std::memory_order_relaxed) >= kMaxPrivate ? 1.0 : 0.0,
        SampleSchedule::Affords(spent_s, elapsed_s) ? 0.0 : 1.0};
    double any[kReasons] = {1, 1};
    if (mpi.allreduce(own, any, kReasons, library.number, library.max, comm) == MPI_SUCCESS &&
        any[kFull] == 0) {
      verdict = any[kPoor] == 0 ? Verdict::kYes : Verdict::kNotYet;
    }
  }
  if (verdict == Verdict::kYes) {
    known->is_private = mpi.comm_create(comm, group, &known->comm) == MPI_SUCCESS;
    if (known->is_private) {
      mpi.set_errhandler(known->comm, library.errors_return);
      state.privates.fetch_add(1, std::memory_order_relaxed);
    } else {
      verdict = Verdict::kNever;
    }
  }
  mpi.group_free(&group);
  return verdict;
}

}  // namespace

void StartSynchronising() {
  if (synchronising.load(std::memory_order_relaxed)) return;
  if (!LoadFunctions(&state.mpi) ||
      state.mpi.create_keyval(CopyNothing, Forget, &state.keyval, nullptr) != MPI_SUCCESS) {
    Log("the MPI library lacks functions: no synchronised samples");
    return;
  }
  if (!AllRanksAgree()) return;
  state.begun_ns = NowNs();
  synchronising.store(true, std::memory_order_relaxed);
}

void Sample::Begin(Collective collective, MPI_Comm comm) {
  Synchronised* known = Know(comm);
  if (known == nullptr || !known->usable) return;
  SampleSchedule& schedule = known->schedule[static_cast<int>(collective)];
  if (!schedule.IsDue()) return;
  const uint64_t begun_ns = NowNs();
  // MPI calls that a library's own functions make are not the program's.
  ++call_depth;
  const Verdict verdict = known->is_private ? Verdict::kYes : MakePrivate(comm, known);
  if (verdict == Verdict::kNotYet) schedule.Postpone();
  known->usable = verdict == Verdict::kNotYet ||
                  (verdict == Verdict::kYes && state.mpi.barrier(known->comm) == MPI_SUCCESS);
  --call_depth;
  start_ns_ = NowNs();
  spent_ns_ = start_ns_ - begun_ns;
  collective_ = collective;
  if (known->usable && verdict == Verdict::kYes) {
    state_ = known;
  } else {
    state.spent_ns.fetch_add(spent_ns_, std::memory_order_relaxed);
  }
}

void Sample::End(uint64_t stop_ns, const Shape& shape) {
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
  ++call_depth;
  const int result =
      state.mpi.allreduce(own, greatest, kValues, library.number, library.max, state_->comm);
  --call_depth;
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
  table->Add(Key::Make(collective_, shape.ranks, shape.block_bytes, shape.type_bytes, origin),
             static_cast<uint64_t>(greatest[kTime]));
}

}  // namespace cox::agent
