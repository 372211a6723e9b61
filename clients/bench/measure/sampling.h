// The loop around every measurement: takes samples, each with the slowest rank's time, until the
// pacer of the leading rank has enough.
//
// Called by all ranks of the communicator. One thread.
#ifndef COX_BENCH_MEASURE_SAMPLING_H_
#define COX_BENCH_MEASURE_SAMPLING_H_

#include <mpi.h>

#include <functional>
#include <vector>

#include "bench/pacer.h"

namespace cox::bench {

// `sample` measures once and returns this rank's seconds. Returns, on rank 0 of the communicator
// only, the largest of all ranks for each sample. Uses `pacer` on that rank only; it may be null on
// the others.
std::vector<double> TakeSamples(MPI_Comm comm, const Pacer* pacer,
                                const std::function<double()>& sample);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_SAMPLING_H_
