// Times cells of patterns within a budget, and counts the cells for which that fails.
//
// Made by all ranks of the job; the ranks of a cell's communicator time it. Rank 0 of the job must
// be rank 0 of each communicator. One thread.
#ifndef COX_BENCH_MEASURE_PATTERN_TIMING_H_
#define COX_BENCH_MEASURE_PATTERN_TIMING_H_

#include <mpi.h>

#include <string>
#include <vector>

#include "bench/job.h"
#include "bench/measure/sampling.h"
#include "bench/pacer.h"
#include "bench/pattern_plan.h"
#include "bench/progress.h"

namespace cox::bench {

class PatternTiming {
 public:
  // Cells that have not begun when twice the budget is used up are left out.
  PatternTiming(const Job& job, double budget_s, int cells, Progress* progress);

  // The samples in seconds, on rank 0 of the job; none there if the cell was left out or noise
  // hides the overhead that it measures, and none on the other ranks. `title` is for the progress.
  std::vector<double> Time(MPI_Comm active, const PatternCell& cell, const std::string& title,
                           bool yielding, Ranks counting = Ranks::kSlowest);

  // Tells on stderr how many cells were left out, hidden or unsettled. On rank 0.
  void PrintNotes() const;

 private:
  const Job& job_;
  double end_s_;
  Pacer pacer_;
  Progress* progress_;
  int left_out_ = 0;
  int hidden_ = 0;
};

// Bytes of buffers that a rank of the job may have: a quarter of its share of the free memory, at
// most 256 MiB.
int64_t PatternMemoryBytes(const Job& job);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_PATTERN_TIMING_H_
