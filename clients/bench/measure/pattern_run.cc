#include "bench/measure/pattern_run.h"

#include <algorithm>
#include <cstring>

#include "bench/job.h"

namespace cox::bench {
namespace {

constexpr int kPatternTag = 2;
// A sample of short work spans several repetitions, so that it is long compared to a clock's tick.
constexpr double kPatternSampleSeconds = 50e-6;
constexpr int kMostRepeats = 100;
// The control computation takes this many times as long as the messages that disturb it.
constexpr double kControlShare = 3;
constexpr double kLeastControlSeconds = 200e-6;
constexpr int64_t kFirstSteps = 1 << 12;
// On any processor this many steps take longer than kLeastControlSeconds / 2.
constexpr int64_t kSeenSteps = 1 << 22;
constexpr int64_t kMostSteps = int64_t{1} << 32;

// Arithmetic that a compiler cannot shorten.
void Spin(int64_t steps) {
  volatile unsigned state = 1;
  for (int64_t i = 0; i < steps; ++i) state = state * 1664525U + 1013904223U;
}

}  // namespace

PatternRun::PatternRun(MPI_Comm comm, const PatternCell& cell, bool yielding)
    : comm_(comm), cell_(cell), yielding_(yielding) {
  MPI_Comm_rank(comm_, &rank_);
  const auto bytes = static_cast<size_t>(PatternBytes(cell)) / 2;
  out_.assign(bytes, static_cast<unsigned char>(rank_ + 1));
  in_.assign(bytes, 0);
  if (cell.kind == Kind::kReduce) {  // zeros stay ordinary numbers however often they are added
    std::fill(out_.begin(), out_.end(), static_cast<unsigned char>(0));
  }
  RunOnce();  // the warm-up
  double once_s = RunOnce();
  MPI_Allreduce(MPI_IN_PLACE, &once_s, 1, MPI_DOUBLE, MPI_MAX, comm_);
  if (cell.kind == Kind::kOverheadReceive || cell.kind == Kind::kNotice) {
    // Here a repetition is as long as its control computation.
    MPI_Barrier(comm_);
    double train_s = Train();
    MPI_Allreduce(MPI_IN_PLACE, &train_s, 1, MPI_DOUBLE, MPI_MAX, comm_);
    const double wanted_s = std::max(kLeastControlSeconds, kControlShare * train_s);
    double steps_s = 0;
    control_steps_ = kFirstSteps;
    while (control_steps_ < kMostSteps && (steps_s = Compute()) < wanted_s) {
      control_steps_ *= 2;
      // In a simulation computing takes no time, so nothing can disturb it.
      if (control_steps_ > kSeenSteps && steps_s < kLeastControlSeconds / 2) {
        control_steps_ = 0;
        break;
      }
    }
    // The sender sends as often as the receiver computes.
    MPI_Bcast(&control_steps_, 1, MPI_INT64_T, 0, comm_);
    return;
  }
  repeats_ = static_cast<int>(
      std::clamp(kPatternSampleSeconds / std::max(once_s, 1e-9), 1.0, double{kMostRepeats}));
}

void PatternRun::Barrier() {
  if (!yielding_) {
    MPI_Barrier(comm_);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &request);
  Await(&request, true);
}

void PatternRun::PostReceive(int from, int64_t slot) {
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(in_.data() + slot * cell_.block_bytes, static_cast<int>(cell_.block_bytes), MPI_BYTE,
            from, kPatternTag, comm_, &requests_.back());
}

void PatternRun::PostSend(int to, int64_t slot) {
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(out_.data() + slot * cell_.block_bytes, static_cast<int>(cell_.block_bytes), MPI_BYTE,
            to, kPatternTag, comm_, &requests_.back());
}

void PatternRun::Finish() {
  if (yielding_) {
    for (MPI_Request& request : requests_) Await(&request, true);
  } else {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  requests_.clear();
}

double PatternRun::Sample() {
  Barrier();
  double time_s = 0;
  for (int i = 0; i < repeats_; ++i) time_s += RunOnce();
  return time_s / repeats_;
}

double PatternRun::RunOnce() {
  switch (cell_.kind) {
    case Kind::kGap:
      return Train();
    case Kind::kOverheadSend:
      return HandOver();
    case Kind::kOverheadReceive:
      return Receive(false);
    case Kind::kNotice:
      return Receive(true);
    case Kind::kConverge:
      return ManyToOne(false);
    case Kind::kFlood:
      return ManyToOne(true);
    case Kind::kHRelation:
    case Kind::kScatter:
    case Kind::kBarrier:
      return Relation();
    case Kind::kPermutation:
    case Kind::kBlockPermutation:
    case Kind::kPairs:
    case Kind::kPairsAcross:
      return Permute();
    case Kind::kAllToAll:
      return Exchange();
    case Kind::kCopy:
    case Kind::kReduce:
      return LocalWork();
    case Kind::kPingPong:
      return Permute();
  }
  return 0;
}

// Rank 0 sends all, then receives as many: half of it is one way.
double PatternRun::Train() {
  const int peer = 1 - rank_;
  const double start_s = MPI_Wtime();
  for (int leg = 0; leg < 2; ++leg) {
    for (int64_t i = 0; i < cell_.messages; ++i) {
      if (leg == rank_) {
        PostSend(peer, i);
      } else {
        PostReceive(peer, i);
      }
    }
    Finish();
  }
  return rank_ == 0 ? (MPI_Wtime() - start_s) / 2 : 0;
}

// Times only the calls: the processor has no part in the messages' travel.
double PatternRun::HandOver() {
  double calls_s = 0;
  for (int64_t i = 0; i < cell_.messages; ++i) {
    if (rank_ == 1) PostReceive(0, i);
  }
  Barrier();
  if (rank_ == 0) {
    const double start_s = MPI_Wtime();
    for (int64_t i = 0; i < cell_.messages; ++i) PostSend(1, i);
    calls_s = MPI_Wtime() - start_s;
  }
  Finish();
  return calls_s / static_cast<double>(cell_.messages);
}

double PatternRun::Compute() const {
  const double start_s = MPI_Wtime();
  Spin(control_steps_);
  return MPI_Wtime() - start_s;
}

// Rank 0 computes, once undisturbed and once while the messages of rank 1 arrive; then it receives
// them. Returns per message the seconds that the second computation takes longer (notice), or those
// of the receive calls.
double PatternRun::Receive(bool notice) {
  const double alone_s = rank_ == 0 ? Compute() : 0;
  for (int64_t i = 0; i < cell_.messages; ++i) {
    if (rank_ == 0) PostReceive(1, i);
  }
  Barrier();
  double disturbed_s = 0;
  double taking_s = 0;
  if (rank_ == 1) {
    for (int64_t i = 0; i < cell_.messages; ++i) PostSend(0, i);
    Finish();
  } else {
    disturbed_s = Compute();
    const double start_s = MPI_Wtime();
    Finish();
    taking_s = MPI_Wtime() - start_s;
  }
  if (rank_ != 0) return 0;
  const double time_s = notice ? taking_s : disturbed_s - alone_s;
  return time_s / static_cast<double>(cell_.messages);
}

double PatternRun::ManyToOne(bool flood) {
  const int64_t each = cell_.messages / cell_.senders;
  Barrier();
  const double start_s = MPI_Wtime();
  for (int64_t i = 0; i < each; ++i) {
    if (rank_ > 0) PostSend(0, i);
    for (int from = 1; rank_ == 0 && from <= cell_.senders; ++from) {
      PostReceive(from, i * cell_.senders + from - 1);
    }
  }
  Finish();
  const double time_s = MPI_Wtime() - start_s;
  return flood == (rank_ > 0) ? time_s : 0;
}

// Sender i sends to i + 1 ... i + messages; a barrier follows.
double PatternRun::Relation() {
  const auto ranks = static_cast<int>(cell_.ranks);
  const double start_s = MPI_Wtime();
  for (int step = 1; step <= cell_.messages; ++step) {
    const int from = (rank_ - step + ranks) % ranks;
    if (from < cell_.senders) PostReceive(from, step - 1);
  }
  for (int step = 1; step <= cell_.messages && rank_ < cell_.senders; ++step) {
    PostSend((rank_ + step) % ranks, step - 1);
  }
  Finish();
  Barrier();
  return MPI_Wtime() - start_s;
}

// Sender i sends to rank i + ranks / 2. If no rank both sends and receives, the message comes back
// and half of the time counts: otherwise senders would run ahead of receivers.
double PatternRun::Permute() {
  const auto half = static_cast<int>(cell_.ranks / 2);
  const int peer = (rank_ + half) % (2 * half);
  const bool both = cell_.senders > half;
  const int legs = both ? 1 : 2;
  const double start_s = MPI_Wtime();
  for (int leg = 0; leg < legs; ++leg) {
    const bool sends = both || (leg == 0 ? rank_ < cell_.senders : peer < cell_.senders);
    const bool receives = both || (leg == 0 ? peer < cell_.senders : rank_ < cell_.senders);
    if (receives) PostReceive(peer, 0);
    if (sends) PostSend(peer, 0);
    Finish();
  }
  return (MPI_Wtime() - start_s) / legs;
}

double PatternRun::Exchange() {
  const auto ranks = static_cast<int>(cell_.ranks);
  const double start_s = MPI_Wtime();
  for (int step = 1; step < ranks; ++step) PostReceive((rank_ - step + ranks) % ranks, step - 1);
  for (int step = 1; step < ranks; ++step) PostSend((rank_ + step) % ranks, step - 1);
  Finish();
  return MPI_Wtime() - start_s;
}

double PatternRun::LocalWork() {
  const double start_s = MPI_Wtime();
  if (cell_.kind == Kind::kCopy) {
    std::memcpy(in_.data(), out_.data(), out_.size());
  } else {
    MPI_Reduce_local(out_.data(), in_.data(), static_cast<int>(out_.size() / sizeof(float)),
                     MPI_FLOAT, MPI_SUM);
  }
  return MPI_Wtime() - start_s;
}

}  // namespace cox::bench
