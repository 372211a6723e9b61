#include "agent/sampling/synchronise.h"

#include <sched.h>
#include <stdlib.h>

#include "agent/job/library.h"
#include "agent/job/log.h"
#include "agent/job/process.h"
#include "agent/sampling/sampling.h"
#include "agent/steering/private_comm.h"
#include "agent/timing/clock.h"
#include "domain/collective.h"

namespace cox::agent {

// A maximum of values over the ranks. All exchanges have the same values, so that a rank that
// leaves can take part in the next one, whatever it is for.
struct Exchange {
  static constexpr int kValues = 5;
  static constexpr int kGone = 0;  // 1: a rank takes no more samples on this communicator
  double own[kValues];
  double greatest[kValues];
  MPI_Request request;
};

struct Synchronised {
  bool usable;   // becomes false for good when sampling ends here
  bool is_left;  // this rank left without waiting: MPI may still write to the exchanges
  bool is_private;
  bool was_asked;
  int rank;
  int size;
  MPI_Comm comm;            // the private communicator, if is_private
  double question_s;        // duration of the last question
  SampleSchedule schedule;  // set by Know
  Exchange exchange;
  // Confirms a question on the program's communicator, or says that this rank leaves.
  Exchange last;
};

namespace {

constexpr double kSecondsPerNs = 1e-9;

struct Functions {
  int (*iallreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
  int (*test)(MPI_Request*, int*, MPI_Status*);
  int (*query_thread)(int*);
};

// The state of this module.
struct State {
  Functions mpi;
  int key;
  uint64_t begun_ns;  // 0: not started
  bool is_multiple;   // MPI_THREAD_MULTIPLE
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
  if (known->is_left) return MPI_SUCCESS;
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

bool Post(MPI_Comm comm, Exchange* exchange) {
  return state.mpi.iallreduce(exchange->own, exchange->greatest, Exchange::kValues, library.number,
                              library.max, comm, &exchange->request) == MPI_SUCCESS;
}

// False when MPI fails, or when not all ranks have come by deadline_ns.
bool Await(Exchange* exchange, uint64_t deadline_ns) {
  // Spins at first, as MPI's own waits do: on a busy machine a yield costs milliseconds.
  constexpr int kSpins = 1000;
  constexpr int kTestsPerYield = 100;
  int complete = 0;
  for (int tests = 1;
       state.mpi.test(&exchange->request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS; ++tests) {
    if (complete != 0) return true;
    if (tests % kTestsPerYield != 0) continue;
    if (NowNs() >= deadline_ns) return false;
    if (tests > kSpins) sched_yield();
  }
  return false;
}

constexpr uint64_t kNoDeadline = UINT64_MAX;

// This rank takes no more samples here. It does not wait for the others: they learn it from their
// next exchange.
void Leave(MPI_Comm comm, Synchronised* known) {
  known->usable = false;
  known->is_left = true;
  known->last.own[Exchange::kGone] = 1;
  Post(comm, &known->last);
}

// Exchanges known->exchange.own over the private communicator. False: no more samples here.
bool ExchangeAll(Synchronised* known) {
  Exchange& exchange = known->exchange;
  if (!Post(known->comm, &exchange) || !Await(&exchange, NowNs() + kPatienceNs)) {
    Leave(known->comm, known);
  } else if (exchange.greatest[Exchange::kGone] != 0) {
    known->usable = false;
  }
  return known->usable;
}

// The same over the program's communicator. There each rank makes exactly two exchanges, even a
// rank that leaves: otherwise the program's next non-blocking collectives would not match. So this
// function answers the same on all ranks that wait, and they are all in the same call.
bool ExchangeOverPrograms(MPI_Comm comm, Synchronised* known) {
  ErrhandlerGuard errhandler;
  errhandler.ReplaceAnyHandler(comm);
  Exchange& exchange = known->exchange;
  if (!Post(comm, &exchange) || !Await(&exchange, NowNs() + kPatienceNs)) {
    Leave(comm, known);
  } else {
    known->last.own[Exchange::kGone] = exchange.greatest[Exchange::kGone];
    // Every rank is here or has left, so no rank waits long.
    known->is_left = !Post(comm, &known->last) || !Await(&known->last, kNoDeadline);
    known->usable = !known->is_left && known->last.greatest[Exchange::kGone] == 0;
  }
  errhandler.Restore();
  return known->usable;
}

// The other communicators that share the account.
int Others(const Synchronised& known) {
  const int privates = state.privates.load(std::memory_order_relaxed);
  return known.is_private ? privates - 1 : privates;
}

enum class Verdict : uint8_t { kYes, kNotYet, kNever };

// Whether this rank can sample there. While other threads are in calls, the program's own error
// handler must stay.
bool CanSample(MPI_Comm comm, const Synchronised& known) {
  const bool has_room =
      known.is_private || state.privates.load(std::memory_order_relaxed) < kMaxPrivate;
  return has_room && !(state.is_multiple && HasProgramHandler(comm));
}

// Called by all ranks in the same call: whether all can sample it and can afford it. After a yes
// all ranks leave at the same time, as from a barrier.
Verdict Ask(MPI_Comm comm, Synchronised* known, SampleBudget* budget) {
  enum { kLacksNow = Exchange::kGone + 1, kLacksThen, kBegun };
  const uint64_t start_ns = NowNs();
  const double elapsed_s = ElapsedS(start_ns);
  const double questions = known->is_private ? kQuestionsPerSample : kQuestionsPerMaking;
  const double cost_s = questions * known->question_s;
  double* const own = known->exchange.own;
  own[Exchange::kGone] = CanSample(comm, *known) ? 0 : 1;
  // This question is paid in any case, and a second one if the sample is put off.
  const double question_s = known->question_s / state.share;
  own[kLacksNow] = state.account.Lacks(elapsed_s, state.share, cost_s, 0) + question_s;
  own[kLacksThen] =
      state.account.Lacks(elapsed_s, state.share, cost_s, Others(*known)) + 2 * question_s;
  // Negative, so that the maximum gives the minimum.
  own[kBegun] = -elapsed_s;
  const bool is_answered =
      known->is_private ? ExchangeAll(known) : ExchangeOverPrograms(comm, known);
  known->question_s = static_cast<double>(NowNs() - start_ns) * kSecondsPerNs;
  if (!is_answered) return Verdict::kNever;
  const double* const greatest = known->exchange.greatest;
  *budget = {greatest[kLacksThen], -greatest[kBegun]};
  return greatest[kLacksNow] <= 0 ? Verdict::kYes : Verdict::kNotYet;
}

// Collective over the ranks of `comm`.
bool MakePrivate(MPI_Comm comm, Synchronised* known) {
  known->is_private = MakePrivateComm(For::kAgent, comm, &known->comm);
  if (known->is_private) state.privates.fetch_add(1, std::memory_order_relaxed);
  return known->is_private;
}

// Asks, and makes the private communicator if all say yes.
Verdict Prepare(MPI_Comm comm, Synchronised* known, SampleBudget* budget) {
  if (!known->is_private && !IsOfThisJob(comm, known->size)) return Verdict::kNever;
  Verdict verdict = Ask(comm, known, budget);
  if (!known->was_asked && verdict == Verdict::kYes) {
    // Now the cost of a question is known here.
    known->was_asked = true;
    verdict = Ask(comm, known, budget);
  }
  if (verdict != Verdict::kYes || known->is_private) return verdict;
  if (!MakePrivate(comm, known)) return Verdict::kNever;
  known->exchange.own[Exchange::kGone] = 0;
  return ExchangeAll(known) ? Verdict::kYes : Verdict::kNever;
}

}  // namespace

const char* PrepareSynchronising() {
  if (LoadPrivateComms() && LoadFunction(&state.mpi.iallreduce, "PMPI_Iallreduce") &&
      LoadFunction(&state.mpi.test, "PMPI_Test") &&
      LoadFunction(&state.mpi.query_thread, "PMPI_Query_thread") &&
      CreateAttributeKey(Forget, &state.key)) {
    return nullptr;
  }
  return "a function is missing from the MPI library";
}

void StartSynchronising() {
  state.share = SynchronisedShare();
  state.begun_ns = NowNs();
  int level = MPI_THREAD_MULTIPLE;
  state.is_multiple = state.mpi.query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
  // Now, before a wrong call of the program can leave messages behind on MPI_COMM_WORLD.
  Synchronised* world = Know(library.world);
  if (world->usable) world->usable = MakePrivate(library.world, world);
  // No later sample has this cost.
  state.account.SpendOnce(ElapsedS(NowNs()));
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
  SampleBudget budget = {};
  ++agent_calls;
  const Verdict verdict = Prepare(comm, known, &budget);
  --agent_calls;
  if (verdict == Verdict::kNever) known->usable = false;
  if (verdict == Verdict::kYes) {
    errhandler->ReplaceProgramHandler(comm);
    state_ = known;
  }
  collective_ = collective;
  start_ns_ = NowNs();
  spent_s_ = static_cast<double>(start_ns_ - begun_ns) * kSecondsPerNs;
  if (state_ != nullptr) return;
  state.account.Spend(spent_s_);
  if (verdict != Verdict::kNotYet) return;
  known->schedule.PutOff(budget);
  state.put_off.fetch_add(1, std::memory_order_relaxed);
}

void Sample::Abandon() {
  ++agent_calls;
  Leave(state_->comm, state_);
  --agent_calls;
  state.account.Spend(spent_s_);
}

void Sample::End(uint64_t stop_ns, const Shape& shape, int number) {
  enum { kTime = Exchange::kGone + 1, kReporter, kLacks, kBegun };
  const bool records = shape.verdict == Shape::kRecord;
  const double elapsed_s = ElapsedS(stop_ns);
  double* const own = state_->exchange.own;
  own[Exchange::kGone] = 0;
  own[kTime] = static_cast<double>(stop_ns - start_ns_);
  own[kReporter] = records ? state_->size - state_->rank : 0;
  // The exchange below takes as long as a question, and the next sample starts with one.
  own[kLacks] =
      state.account.Lacks(elapsed_s, state.share, spent_s_ + state_->question_s, Others(*state_)) +
      (spent_s_ + 2 * state_->question_s) / state.share;
  own[kBegun] = -elapsed_s;
  ++agent_calls;
  const bool is_answered = ExchangeAll(state_);
  --agent_calls;
  state.account.Spend(spent_s_ + static_cast<double>(NowNs() - stop_ns) * kSecondsPerNs);
  if (!is_answered) return;
  state.taken.fetch_add(1, std::memory_order_relaxed);
  const double* const greatest = state_->exchange.greatest;
  state_->schedule.Sampled(collective_, {greatest[kLacks], -greatest[kBegun]});
  Table* table = active_table.load(std::memory_order_acquire);
  if (table == nullptr || !records || own[kReporter] != greatest[kReporter]) return;
  table->Add(Key::Make(collective_, shape.ranks, shape.block_bytes, shape.type_bytes,
                       Origin::kSynchronised, number),
             static_cast<uint64_t>(greatest[kTime]));
}

}  // namespace cox::agent
