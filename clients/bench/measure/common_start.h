// An instant at which all ranks enter a call together, by clocks that were compared.
//
// After a barrier ranks leave one after the other, and some calls take longer for it (an alltoall
// of Open MPI over a slow network: half as long again). A common instant has no such order; but
// clocks are known only to half a round trip, so it is for calls that take much longer than that.
//
// Whoever uses it is in MPI_COMM_WORLD with all ranks, and uses it on all. One thread.
#ifndef COX_BENCH_MEASURE_COMMON_START_H_
#define COX_BENCH_MEASURE_COMMON_START_H_

namespace cox::bench {

class CommonStart {
 public:
  // Compares the clocks, as Compare().
  CommonStart();

  // Compares every rank's clock with rank 0's, by the shortest of some round trips: again before
  // each series of calls, as clocks drift apart. O(ranks) messages.
  void Compare();

  // Whether calls that take `time_s` seconds may be timed from a common instant: the doubt about
  // the clocks is below 1 % of it. The same on all ranks for the same `time_s`.
  bool Suits(double time_s) const;

  // Agrees on an instant and sleeps until then. Returns it in seconds of this rank's MPI_Wtime.
  double Await() const;

 private:
  int rank_ = 0;
  int ranks_ = 1;
  double offset_s_ = 0;  // this rank's clock minus rank 0's
  double doubt_s_ = 0;   // the largest of all ranks
};

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COMMON_START_H_
