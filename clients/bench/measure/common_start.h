// A common instant at which all ranks enter a call, found by comparing their clocks.
//
// Ranks leave a barrier one after the other, and some calls take longer because of that (an
// alltoall of Open MPI over a slow network: 1.5 times as long). A common instant avoids this, but
// clocks are known only to half a round trip. So it is for calls that take much longer than a round
// trip.
//
// All ranks of MPI_COMM_WORLD use it together. One thread.
#ifndef COX_BENCH_MEASURE_COMMON_START_H_
#define COX_BENCH_MEASURE_COMMON_START_H_

namespace cox::bench {

class CommonStart {
 public:
  // Compares the clocks, as Compare().
  CommonStart();

  // Compares every rank's clock with rank 0's, by the shortest of some round trips. Repeat it
  // before each series of calls, because clocks drift. O(ranks) messages.
  void Compare();

  // True if the uncertainty of the clocks is below 1 % of `time_s`: calls of that duration may be
  // timed from a common instant. The same on all ranks for the same `time_s`.
  bool Suits(double time_s) const;

  // Agrees on an instant and sleeps until then. Returns it in seconds of this rank's MPI_Wtime.
  double Await() const;

 private:
  int rank_ = 0;
  int ranks_ = 1;
  double offset_s_ = 0;  // this rank's clock minus rank 0's
  double doubt_s_ = 0;   // uncertainty of the clocks; the largest of all ranks
};

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COMMON_START_H_
