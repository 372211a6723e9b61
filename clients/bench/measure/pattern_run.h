// How each kind of pattern runs: one sample of a cell.
//
// Called by all ranks of the communicator. One thread. The library's errors end the job.
#ifndef COX_BENCH_MEASURE_PATTERN_RUN_H_
#define COX_BENCH_MEASURE_PATTERN_RUN_H_

#include <mpi.h>

#include <vector>

#include "bench/pattern_plan.h"

namespace cox::bench {

class PatternRun {
 public:
  // The communicator must have cell.ranks ranks. With `yielding`, waiting ranks yield the
  // processor.
  PatternRun(MPI_Comm comm, const PatternCell& cell, bool yielding);

  // Seconds of one repetition on this rank; 0 on ranks whose time does not count. The largest of
  // all ranks counts for the cell. Negative if noise hides an overhead. The time by kind:
  //   pingpong, pairs, pairs_across   half of the way to and fro; sender i and rank i + senders
  //   gap                from the first byte sent to the last received, of a one-way train
  //   overhead_*, notice of one message
  //   flood              until the last sender has handed over its last message
  //   h_relation, scatter, barrier   with the barrier that ends them
  //   copy, reduce       of block_bytes
  //   the others         until the last rank has what it receives
  double Sample();

 private:
  double Timed();  // `repeats_` repetitions, per repetition
  double RunOnce();
  double Train();
  double HandOver();
  double Receive(bool notice);
  double Compute() const;
  double ManyToOne(bool flood);
  double Relation();
  double Permute();
  double Exchange();
  double LocalWork();

  void Barrier();
  void PostReceive(int from, int64_t slot);
  void PostSend(int to, int64_t slot);
  void Finish();  // waits for all posted requests

  MPI_Comm comm_;
  PatternCell cell_;
  bool yielding_;
  int rank_ = 0;
  int repeats_ = 1;
  int64_t control_steps_ = 0;
  std::vector<unsigned char> out_;
  std::vector<unsigned char> in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_PATTERN_RUN_H_
