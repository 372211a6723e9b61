// Mode collectives: times collectives with the algorithms that the environment forces, or
// libcoxcoll's with the algorithms that the labels name.
//
// Every call starts after a barrier; its time is that of the last rank to leave. Buffers are the
// same from call to call, so they are warm in the cache. Called by all ranks of the job. One
// thread.
#ifndef COX_BENCH_MEASURE_COLLECTIVE_TIMING_H_
#define COX_BENCH_MEASURE_COLLECTIVE_TIMING_H_

#include "absl/status/status.h"
#include "bench/job.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/progress.h"

namespace cox::bench {

// Returns INVALID_ARGUMENT, the same on every rank and before it measures, for cells that this job
// cannot measure; DATA_LOSS if a collective gave a wrong result: its cell gets no row, the others
// do. Leaves out reductions whose size is not a multiple of 4 bytes, with a note. Uses `output` and
// `progress` on rank 0 only.
absl::Status MeasureCollectives(const Job& job, const Options& options, Output* output,
                                Progress* progress);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COLLECTIVE_TIMING_H_
