#include "agent/sampling/synchronise.h"

#include <stdlib.h>

#include "agent/job/library.h"
#include "agent/job/log.h"
#include "agent/job/process.h"
#include "agent/sampling/sampling.h"
#include "agent/steering/private_comm.h"
#include "agent/timing/clock.h"
#include "domain/collective.h"

namespace cox::agent {

struct Synchronised {
  bool usable;  // becomes false for good when sampling fails here
  bool is_private;
  bool was_asked;
  int rank;
  int size;
  MPI_Comm comm;            // the private communicator, if is_private
  double question_s;        // duration of the last question
  SampleSchedule schedule;  // set by Know
};

namespace {

constexpr double kSecondsPerNs = 1e-9;

struct Functions {
  int (*barrier)(MPI_Comm);
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
};

// The state of this module.
struct State {
  Functions mpi;
  int key;
  uint64_t begun_ns;  // 0: not started
  double share;
  SampleAccount account;
  std::atomic<int> privates;  // private communicators that exist
  std::atomic<uint64_t> taken;
  std::atomic<uint64_t> put_off;
};
State state;

// The assumed cost of a sample, and of making a communicator, in questions.
constexpr double kQuestionsPerSample = 4;
constexpr double kQuestionsPerMaking = 16;

double ElapsedS(uint64_t now_ns) {
  return static_cast<double>(now_ns - state.begun_ns) * kSecondsPerNs;
}

// MPI calls this when the communicator is freed, on all of its ranks. In MPI_Finalize the library
// frees the private communicators itself.
int Forget(MPI_Comm, int, void* attribute, void*) {
  auto* known = static_cast<Synchronised*>(attribute);
  if (known->is_private && synchronising.load(std::memory_order_relaxed)) {
    FreePrivateComm(For::kAgent, &known->comm);
    state.privates.fetch_sub(1, std::memory_order_relaxed);
  }
  free(known);
  return MPI_SUCCESS;
}

// Null when the communicator is not valid.
Synchronised* Know(MPI_Comm comm) {
  if (void* kept = GetAttribute(comm, state.key)) return static_cast<Synchronised*>(kept);
  int inter = 1;
  if (library.comm_test_inter(comm, &inter) != MPI_SUCCESS) return nullptr;
  auto* known = static_cast<Synchronised*>(SetNewAttribute(comm, state.key, sizeof(Synchronised)));
  known->schedule = SampleSchedule(comm == library.world ? SampleSchedule::kFirstOfWorld
                                                         : SampleSchedule::kFirstOfOthers);
  known->usable = inter == 0 && library.comm_size(comm, &known->size) == MPI_SUCCESS &&
                  known->size > 1 && library.comm_rank(comm, &known->rank) == MPI_SUCCESS;
  return known;
}

// The other communicators that share the account.
int Others(const Synchronised& known) {
  const int privates = state.privates.load(std::memory_order_relaxed);
  return known.is_private ? privates - 1 : privates;
}

enum class Verdict : uint8_t { kYes, kNotYet, kNever };

// Called by all ranks in the same call: whether all have room for the sample and can afford it.
Verdict Ask(MPI_Comm comm, Synchronised* known, SampleMeans* means) {
  enum { kFull, kLacksNow, kLacksThen, kBegun, kValues };
  const uint64_t start_ns = NowNs();
  const double elapsed_s = ElapsedS(start_ns);
  const double questions = known->is_private ? kQuestionsPerSample : kQuestionsPerMaking;
  const bool is_full =
      !known->is_private && state.privates.load(std::memory_order_relaxed) >= kMaxPrivate;
  const double cost_s = questions * known->question_s;
  double own[kValues];
  own[kFull] = is_full ? 1 : 0;
  // This question is paid in any case, and a second one if the sample is put off.
  const double question_s = known->question_s / state.share;
  own[kLacksNow] = state.account.Lacks(elapsed_s, state.share, cost_s, 0) + question_s;
  own[kLacksThen] =
      state.account.Lacks(elapsed_s, state.share, cost_s, Others(*known)) + 2 * question_s;
  // Negative, so that the maximum gives the minimum.
  own[kBegun] = -elapsed_s;
  double greatest[kValues] = {};
  const bool is_answered = known->is_private
                               ? state.mpi.allreduce(own, greatest, kValues, library.number,
                                                     library.max, known->comm) == MPI_SUCCESS
                               : AskAll(comm, own, greatest, kValues);
  known->question_s = static_cast<double>(NowNs() - start_ns) * kSecondsPerNs;
  if (!is_answered || greatest[kFull] != 0) return Verdict::kNever;
  *means = {greatest[kLacksThen], -greatest[kBegun]};
  return greatest[kLacksNow] <= 0 ? Verdict::kYes : Verdict::kNotYet;
}

// Asks, and makes the private communicator if all say yes.
Verdict Prepare(MPI_Comm comm, Synchronised* known, SampleMeans* means) {
  if (!known->is_private && !IsOfThisJob(comm, known->size)) return Verdict::kNever;
  Verdict verdict = Ask(comm, known, means);
  if (!known->was_asked && verdict == Verdict::kYes) {
    // Now the cost of a question is known here.
    known->was_asked = true;
    verdict = Ask(comm, known, means);
  }
  if (verdict != Verdict::kYes || known->is_private) return verdict;
  known->is_private = MakePrivateComm(For::kAgent, comm, &known->comm);
  if (!known->is_private) return Verdict::kNever;
  state.privates.fetch_add(1, std::memory_order_relaxed);
  return Verdict::kYes;
}

}  // namespace

bool PrepareSynchronising() {
  if (LoadPrivateComms() && LoadFunction(&state.mpi.barrier, "PMPI_Barrier") &&
      LoadFunction(&state.mpi.allreduce, "PMPI_Allreduce") &&
      CreateAttributeKey(Forget, &state.key)) {
    return true;
  }
  Log("no synchronised samples: a function is missing from the MPI library");
  return false;
}

void StartSynchronising() {
  state.share = SynchronisedShare();
  state.begun_ns = NowNs();
  synchronising.store(true, std::memory_order_relaxed);
}

void EndSynchronising() {
  if (state.begun_ns == 0 || library.world_rank != 0) return;
  Log("samples: %llu taken, %llu put off, %.6f s of %.6f s, the dearest %.6f s",
      static_cast<unsigned long long>(state.taken.load(std::memory_order_relaxed)),
      static_cast<unsigned long long>(state.put_off.load(std::memory_order_relaxed)),
      state.account.spent_s(), ElapsedS(NowNs()), state.account.dearest_s());
  state.begun_ns = 0;  // logged once
}

void Sample::Begin(domain::Collective collective, MPI_Comm comm, ErrhandlerGuard* errhandler) {
  if (comm == library.comm_null) return;
  Synchronised* known = Know(comm);
  if (known == nullptr || !known->usable || !known->schedule.IsDue(collective)) return;
  const uint64_t begun_ns = NowNs();
  SampleMeans means = {};
  ++agent_calls;
  const Verdict verdict = Prepare(comm, known, &means);
  known->usable = verdict == Verdict::kNotYet ||
                  (verdict == Verdict::kYes && state.mpi.barrier(known->comm) == MPI_SUCCESS);
  --agent_calls;
  if (verdict == Verdict::kYes && known->usable) {
    errhandler->ReplaceProgramHandler(comm);
    state_ = known;
  }
  collective_ = collective;
  start_ns_ = NowNs();
  spent_s_ = static_cast<double>(start_ns_ - begun_ns) * kSecondsPerNs;
  if (state_ != nullptr) return;
  state.account.Spend(spent_s_);
  if (verdict != Verdict::kNotYet) return;
  known->schedule.PutOff(means);
  state.put_off.fetch_add(1, std::memory_order_relaxed);
}

void Sample::End(uint64_t stop_ns, const Shape& shape, int number) {
  enum { kTime, kReporter, kLacks, kBegun, kValues };
  const bool records = shape.verdict == Shape::kRecord;
  const double elapsed_s = ElapsedS(stop_ns);
  double own[kValues];
  own[kTime] = static_cast<double>(stop_ns - start_ns_);
  own[kReporter] = records ? state_->size - state_->rank : 0;
  // The reduction below takes as long as a question, and the next sample starts with one.
  own[kLacks] =
      state.account.Lacks(elapsed_s, state.share, spent_s_ + state_->question_s, Others(*state_)) +
      (spent_s_ + 2 * state_->question_s) / state.share;
  own[kBegun] = -elapsed_s;
  double greatest[kValues] = {};
  ++agent_calls;
  const int result =
      state.mpi.allreduce(own, greatest, kValues, library.number, library.max, state_->comm);
  --agent_calls;
  state.account.Spend(spent_s_ + static_cast<double>(NowNs() - stop_ns) * kSecondsPerNs);
  state.taken.fetch_add(1, std::memory_order_relaxed);
  if (result != MPI_SUCCESS) {
    state_->usable = false;
    return;
  }
  state_->schedule.Sampled(collective_, {greatest[kLacks], -greatest[kBegun]});
  Table* table = active_table.load(std::memory_order_acquire);
  if (table == nullptr || !records || own[kReporter] != greatest[kReporter]) return;
  table->Add(Key::Make(collective_, shape.ranks, shape.block_bytes, shape.type_bytes,
                       Origin::kSynchronised, number),
             static_cast<uint64_t>(greatest[kTime]));
}

}  // namespace cox::agent
