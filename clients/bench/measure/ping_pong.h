// Mode p2p: one-way times between pairs of ranks, on one node and between two nodes.
//
// A pair sends a message to and fro; half a round trip is a one-way time. k pairs do so at once: on
// the node of rank 0 (level node) or between that node and the fullest other one (level network).
// The time is the slowest pair's. Ranks that take no part sleep. Called by all ranks of the job.
// One thread.
#ifndef COX_BENCH_MEASURE_PING_PONG_H_
#define COX_BENCH_MEASURE_PING_PONG_H_

#include "absl/status/status.h"
#include "bench/job.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/progress.h"

namespace cox::bench {

// Takes about `budget_s`. INVALID_ARGUMENT, the same on every rank and before anything is measured,
// for what this job cannot measure: no pair at all, more pairs than it has ranks for, buffers
// larger than the memory. DATA_LOSS if a message arrived garbled. `output` and `progress` are used
// on rank 0 only.
absl::Status MeasurePingPongs(const Job& job, const Options& options, double budget_s,
                              Output* output, Progress* progress);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_PING_PONG_H_
