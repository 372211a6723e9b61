#include "bench/measure/common_start.h"

#include <mpi.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace cox::bench {
namespace {

constexpr int kRoundTrips = 10;
constexpr double kDoubtShare = 0.01;
// Time to tell all ranks: this many of the shortest half round trips, plus one share per rank.
constexpr int kAheadMessages = 20;
constexpr int kAheadMessagesPerRank = 4;
constexpr int kStartTag = 1;

// Messages instead of a collective: the environment may force the algorithm under measurement on
// it.
void Send(double value, int to) { MPI_Send(&value, 1, MPI_DOUBLE, to, kStartTag, MPI_COMM_WORLD); }

double Receive(int from) {
  double value = 0;
  MPI_Recv(&value, 1, MPI_DOUBLE, from, kStartTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

struct Comparison {
  double offset_s = 0;
  double doubt_s = std::numeric_limits<double>::infinity();
};

// On rank 0; `other` calls Answer().
Comparison CompareWith(int other) {
  Comparison best;
  for (int i = 0; i < kRoundTrips; ++i) {
    const double start_s = MPI_Wtime();
    Send(0, other);
    const double theirs_s = Receive(other);
    const double end_s = MPI_Wtime();
    const double doubt_s = (end_s - start_s) / 2;
    if (doubt_s < best.doubt_s) best = {theirs_s - (start_s + end_s) / 2, doubt_s};
  }
  return best;
}

void Answer() {
  for (int i = 0; i < kRoundTrips; ++i) {
    Receive(0);
    Send(MPI_Wtime(), 0);
  }
}

}  // namespace

CommonStart::CommonStart() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  // Without this, sleeps end up to 50 us late.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  Compare();
}

void CommonStart::Compare() {
  if (rank_ > 0) {
    Answer();
    offset_s_ = Receive(0);
    doubt_s_ = Receive(0);
    return;
  }
  std::vector<double> offsets_s(static_cast<size_t>(ranks_), 0.0);
  doubt_s_ = 0;
  for (int other = 1; other < ranks_; ++other) {
    const Comparison found = CompareWith(other);
    offsets_s[static_cast<size_t>(other)] = found.offset_s;
    doubt_s_ = std::max(doubt_s_, found.doubt_s);
  }
  for (int other = 1; other < ranks_; ++other) {
    Send(offsets_s[static_cast<size_t>(other)], other);
    Send(doubt_s_, other);
  }
}

bool CommonStart::Suits(double time_s) const { return doubt_s_ < kDoubtShare * time_s; }

double CommonStart::Await() const {
  double start_s = MPI_Wtime() + (kAheadMessages + kAheadMessagesPerRank * ranks_) * doubt_s_;
  if (rank_ == 0) {
    for (int other = 1; other < ranks_; ++other) Send(start_s, other);
  } else {
    start_s = Receive(0) + offset_s_;
  }
  const double left_s = start_s - MPI_Wtime();
  if (left_s > 0) {
    const auto whole_s = static_cast<time_t>(left_s);
    timespec left = {whole_s, static_cast<long>((left_s - static_cast<double>(whole_s)) * 1e9)};
    nanosleep(&left, &left);
  }
  return start_s;
}

}  // namespace cox::bench
