// Mode p2p, the kinds beside ping-pongs: trains, overheads, relations, permutations, local work.
//
// At level node all ranks of rank 0's node take part, at level network one rank of each node; the
// others sleep. Called by all ranks of the job. One thread.
#ifndef COX_BENCH_MEASURE_PATTERNS_H_
#define COX_BENCH_MEASURE_PATTERNS_H_

#include "absl/status/status.h"
#include "bench/job.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/progress.h"

namespace cox::bench {

// Measures options.kinds within about `budget_s`. Cells that are not begun when the budget is twice
// used up are left out, and so are overheads that noise hides; notes on stderr say how many. Never
// fails: a job that is too small for a kind has no cell of it. `output` and `progress` are used on
// rank 0 only.
void MeasurePatterns(const Job& job, const Options& options, double budget_s, Output* output,
                     Progress* progress);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_PATTERNS_H_
