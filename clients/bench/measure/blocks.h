// Mode blocks: times the patterns from which `cox infer` infers a network's communication blocks.
//
// Called by all ranks of the job; ranks that take no part in a pattern sleep. One thread.
#ifndef COX_BENCH_MEASURE_BLOCKS_H_
#define COX_BENCH_MEASURE_BLOCKS_H_

#include "absl/status/status.h"
#include "bench/job.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/progress.h"

namespace cox::bench {

// Measures the cells of options.network within about options.budget_s. INVALID_ARGUMENT, the same
// on every rank, if the job is too small for the network or lacks memory; PlanBlocks names the
// reasons. `output` and `progress` are used on rank 0 only.
absl::Status MeasureBlocks(const Job& job, const Options& options, Output* output,
                           Progress* progress);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_BLOCKS_H_
