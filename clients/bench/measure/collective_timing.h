// Mode collectives: how long collectives take, with whatever algorithms the environment forces, or
// our own library's with those that the labels name.
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

// INVALID_ARGUMENT, the same on every rank and before anything is measured, for what this job
// cannot measure. DATA_LOSS if a collective gave a wrong result: such a cell has no row, the others
// have. A reduction of a size that is no multiple of 4 bytes is left out, with a note. `output` and
// `progress` are used on rank 0 only.
absl::Status MeasureCollectives(const Job& job, const Options& options, Output* output,
                                Progress* progress);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COLLECTIVE_TIMING_H_
