#include "agent/steering/steering.h"

#include <stdlib.h>

#include <new>

#include "agent/job/library.h"
#include "agent/job/log.h"
#include "agent/job/process.h"
#include "agent/steering/call_guard.h"
#include "agent/steering/canaries.h"
#include "agent/steering/coxcoll.h"
#include "agent/steering/decisions.h"
#include "agent/steering/fetch.h"
#include "agent/steering/making_budget.h"
#include "agent/steering/private_comm.h"
#include "agent/steering/reductions.h"
#include "agent/steering/select.h"
#include "agent/timing/clock.h"
#include "domain/collective.h"

namespace cox::agent {

struct Steered {
  bool usable;
  Controlled controlled;
  CoxcollChannel coxcoll;
  // A first steered call of the collective has run. Before that, canaries would mostly show how
  // slow first calls are.
  bool has_selected[domain::kCollectiveCount];
  CanaryTurn turn[domain::kCollectiveCount];
};

namespace {

struct Functions {
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*query_thread)(int*);
};

// What became of a call, for the log.
enum Outcome { kSteered, kKept, kUnfit, kOtherCommunicator, kNotReady, kCanary, kOutcomes };
constexpr const char* kOutcomeNames[kOutcomes] = {
    "steered",
    "by the default as the table says",
    "not steerable (empty, in place, unequal blocks, set by the program, or order matters)",
    "on communicators that the table is not for",
    "waiting for a private communicator",
    "by the default as canaries"};

// The state of this module.
struct State {
  Functions mpi;
  int key;
  Decisions* decisions;
  bool left[domain::kCollectiveCount];  // to the user's setting, on this rank
  uint64_t calls[kOutcomes];
  bool has_steered;  // in this job
  // The communicator of the call that runs without a private one. Null when an error handler of the
  // program has freed it in that call.
  PrivateCommBackoff* waiting;
  Steered world;
  Steered unusable;  // shared by all communicators that are not steered
  // The communicator of the last call but MPI_COMM_WORLD, and its state. Asking MPI for an
  // attribute takes a good part of a short call. Null when a communicator has been freed since.
  MPI_Comm latest;
  Steered* steered_latest;
  // By row of the table, on MPI_COMM_WORLD.
  CanaryTurn world_turn[domain::kCollectiveCount][Decisions::kMostRows];
  CallGuard guard[domain::kCollectiveCount][Decisions::kMostRows];
};
State state;

// MPI calls this when the communicator is freed, on all of its ranks.
int Forget(MPI_Comm, int, void* attribute, void*) {
  auto* steered = static_cast<Steered*>(attribute);
  state.steered_latest = nullptr;
  if (steered == &state.unusable) return MPI_SUCCESS;
  if (state.waiting == &steered->coxcoll.backoff || state.waiting == &steered->controlled.backoff) {
    state.waiting = nullptr;
  }
  Release(&steered->coxcoll);
  Release(&steered->controlled, !applying.load(std::memory_order_relaxed));
  free(steered);
  return MPI_SUCCESS;
}

// Null when this rank can steer, else the reason for the log.
const char* Prepare() {
  if (library.world_size < 2) return "the job has one rank only";
  if (!LoadPrivateComms() || !LoadFunction(&state.mpi.bcast, "PMPI_Bcast") ||
      !LoadFunction(&state.mpi.allreduce, "PMPI_Allreduce") ||
      !LoadFunction(&state.mpi.query_thread, "PMPI_Query_thread")) {
    return "a function is missing from the MPI library";
  }
  int level = MPI_THREAD_MULTIPLE;
  if (state.mpi.query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE) {
    return "the program uses MPI_THREAD_MULTIPLE";
  }
  void* memory = calloc(1, sizeof(Decisions));
  if (memory == nullptr) return "out of memory";
  state.decisions = new (memory) Decisions;
  if (!CreateAttributeKey(Forget, &state.key)) return "MPI gives no attribute key";
  return PrepareControl(state.left);
}

// Called for a communicator's first call, not for MPI_COMM_WORLD. All of its ranks get the same
// answer. Null for a communicator that MPI does not accept.
Steered* Meet(MPI_Comm comm) {
  int inter = 1;
  int size = 0;
  const bool usable = library.comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0 &&
                      library.comm_size(comm, &size) == MPI_SUCCESS && size == library.world_size &&
                      IsOfThisJob(comm, size);
  if (!usable) {
    // Without the attribute the next call comes here again.
    return SetAttribute(comm, state.key, &state.unusable) ? &state.unusable : nullptr;
  }
  auto* steered = static_cast<Steered*>(SetNewAttribute(comm, state.key, sizeof(Steered)));
  steered->usable = true;
  return steered;
}

// All ranks decide alike, so rank 0's calls stand for those of the job.
void LogCalls() {
  if (!state.has_steered || library.world_rank != 0) return;
  state.has_steered = false;
  for (int i = 0; i < kOutcomes; ++i) {
    if (state.calls[i] == 0) continue;
    Log("calls of rank 0 %s: %llu", kOutcomeNames[i],
        static_cast<unsigned long long>(state.calls[i]));
  }
}

// Exchanges what the ranks timed, and withdraws the row if its algorithm is shown to be slower. All
// ranks are in the same call, and decide alike.
void JudgeRow(domain::Collective collective, int row, CallGuard* guard) {
  double greatest[CallGuard::kValues] = {};
  if (!AskAll(library.world, guard->own(), greatest, CallGuard::kValues)) {
    guard->Fail();
    return;
  }
  if (!guard->Judge(greatest)) return;
  if (library.world_rank == 0) {
    Log("withdrawn: %s from %lld bytes, slower than the default in %u of %u comparisons",
        domain::CollectiveName(collective),
        static_cast<long long>(state.decisions->FromBytes(collective, row)), guard->slower_count(),
        guard->pair_count());
  }
  state.decisions->Withdraw(collective, row);
}

}  // namespace

const char* PrepareSteering() {
  if (const char* reason = Prepare()) return reason;
  LoadReductions();
  if (library.world_rank == 0) StartFetch(DescribeJob(library.world_size));
  return nullptr;
}

void StartSteering() {
  Decisions& decisions = *state.decisions;
  if (library.world_rank == 0) {
    const JobDescription job = DescribeJob(library.world_size);
    // Tables are for full nodes, with as many ranks on each.
    if (job.nodes * job.ppn != library.world_size) {
      Log("calls are not steered: nodes have different numbers of ranks");
    } else if (!FinishFetch(&decisions)) {
      Log("calls are not steered: no decision table");
    } else if (!decisions.HasAny()) {
      Log("calls are not steered: the table keeps the library's default everywhere");
    }
    decisions.set_any_order(job.settings->any_order);
    decisions.set_same_counts(job.settings->same_counts);
    decisions.mutable_canaries()->Start(job.settings->canary_share, NowNs());
  }
  if (state.mpi.bcast(&decisions, static_cast<int>(sizeof(decisions)), library.byte, 0,
                      library.world) != MPI_SUCCESS) {
    return;
  }
  // If one rank cannot, none does.
  constexpr int kCoxcoll = domain::kCollectiveCount;
  double own[domain::kCollectiveCount + 1];
  double any[domain::kCollectiveCount + 1];
  for (int i = 0; i < domain::kCollectiveCount; ++i) own[i] = state.left[i] ? 1 : 0;
  own[kCoxcoll] = decisions.HasCoxcoll() && !LoadCoxcoll() ? 1 : 0;
  if (state.mpi.allreduce(own, any, domain::kCollectiveCount + 1, library.number, library.max,
                          library.world) != MPI_SUCCESS) {
    return;
  }
  if (any[kCoxcoll] != 0) {
    if (library.world_rank == 0) {
      Log("libcoxcoll cannot be used on some ranks; disabled for this job");
    }
    decisions.DropCoxcoll();
  }
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    if (any[i] != 0) decisions.Forget(static_cast<domain::Collective>(i));
  }
  if (!decisions.HasAny()) return;
  StartMaking(PrivateShare());
  // Now, while all ranks are here: in a wrong program some may not come to the first call.
  if (decisions.HasCoxcoll()) IsOpen(library.world, &state.world.coxcoll);
  state.world.usable = true;
  state.has_steered = true;
  applying.store(true, std::memory_order_release);
}

void EndSteering() {
  LogCalls();
  if (state.decisions != nullptr) EndControl();
}

int64_t SteerableBytes(int64_t count, MPI_Datatype type) {
  int64_t type_bytes = 0;
  int64_t bytes = 0;
  if (count <= 0 || !TypeBytes(type, &type_bytes) || type_bytes == 0 ||
      __builtin_mul_overflow(count, type_bytes, &bytes)) {
    return -1;
  }
  return bytes;
}

int64_t SteerableExchange(MPI_Datatype sent, int64_t count, MPI_Datatype received) {
#ifdef OPEN_MPI
  // Without the promise the table has no algorithm that needs it, and ranks may differ here.
  if (state.decisions->same_counts() && sent != received) return -1;
#else
  (void)sent;
#endif
  return SteerableBytes(count, received);
}

int64_t SteerableReduction(int64_t count, MPI_Datatype type, MPI_Op op) {
  const Reduction reduction = ReductionOf(type, op);
  const bool may = reduction == Reduction::kExact ||
                   (reduction == Reduction::kRounded && state.decisions->any_order());
  return may ? SteerableBytes(count, type) : -1;
}

Steered* Steering::Know(domain::Collective collective, MPI_Comm comm) {
  if (!state.decisions->Has(collective)) {
    ++state.calls[kKept];
    return nullptr;
  }
  if (comm == library.world) [[likely]]
    return &state.world;
  if (comm == library.comm_null) return nullptr;
  Steered* steered = state.steered_latest;
  if (steered == nullptr || comm != state.latest) {
    steered = static_cast<Steered*>(GetAttribute(comm, state.key));
    if (steered == nullptr) steered = Meet(comm);
    state.latest = comm;
    state.steered_latest = steered;
  }
  if (steered != nullptr && steered->usable) return steered;
  ++state.calls[kOtherCommunicator];
  return nullptr;
}

void Steering::Learn(uint64_t time_ns) const {
  state.guard[static_cast<int>(collective_)][guarded_row_].Add(arm_, time_ns);
}

void Steering::Draw(Steered* steered, int row) {
  const auto collective = static_cast<uint32_t>(collective_);
  const Canaries& canaries = state.decisions->canaries();
  if (steered != &state.world) {
    arm_ = canaries.Take(collective, &steered->turn[collective]);
    return;
  }
  CanaryTurn& turn = state.world_turn[collective][row];
  CallGuard& guard = state.guard[collective][row];
  if (turn.is_between_blocks() && guard.EndBlock()) JudgeRow(collective_, row, &guard);
  if (state.decisions->NumberAt(collective_, row) == 0) return;
  arm_ = canaries.Take(collective << 8 | static_cast<uint32_t>(row), &turn);
  if (arm_ != domain::CanaryArm::kTuned) guarded_row_ = row;
}

void Steering::Choose(MPI_Comm comm, Steered* steered, int64_t block_bytes,
                      ErrhandlerGuard* errhandler) {
  const int row = block_bytes >= 0 ? state.decisions->FindRow(collective_, block_bytes) : -1;
  const int number = state.decisions->NumberAt(collective_, row);
  if (number == 0) {
    ++state.calls[block_bytes >= 0 ? kKept : kUnfit];
    return;
  }
  if (IsSetByProgram(collective_)) [[unlikely]] {
    ++state.calls[kUnfit];
    return;
  }
  if (state.decisions->canaries().are_on() && steered->has_selected[static_cast<int>(collective_)])
      [[unlikely]] {
    Draw(steered, row);
    if (arm_ == domain::CanaryArm::kCanary || state.decisions->NumberAt(collective_, row) == 0) {
      ++state.calls[arm_ == domain::CanaryArm::kCanary ? kCanary : kKept];
      return;
    }
  }
  if (number >= Decisions::kFirstCoxcoll) {
    if (!IsReplaceable(block_bytes) || !IsOpen(comm, &steered->coxcoll)) {
      return BeginWait(&steered->coxcoll.backoff);
    }
    ++state.calls[kSteered];
    steered->has_selected[static_cast<int>(collective_)] = true;
    number_ = number;
    coxcoll_algorithm_ = state.decisions->NameOf(collective_, number);
    errhandler->ReportTo(comm);
    return;
  }
  const Selection selection = Select(comm, &steered->controlled, collective_, number);
  if (!selection.is_selected) return BeginWait(&steered->controlled.backoff);
  ++state.calls[kSteered];
  steered->has_selected[static_cast<int>(collective_)] = true;
  number_ = number;
  is_moved_ = selection.comm != comm;
  before_ = selection.before;
  own_ = selection.comm;
  own_fortran_ = selection.fortran;
  if (selection.comm != comm) {
    errhandler->ForwardTo(comm);
  } else {
    errhandler->ReplaceProgramHandler(comm);
  }
}

void Steering::BeginWait(PrivateCommBackoff* backoff) {
  ++state.calls[kNotReady];
  is_waiting_ = true;
  state.waiting = backoff;
}

void Steering::EndWait(uint64_t time_ns) {
  if (state.waiting == nullptr) return;
  state.waiting->Wait(time_ns);
  state.waiting = nullptr;
}

void Steering::Restore() const { agent::Restore(collective_, before_); }

}  // namespace cox::agent
