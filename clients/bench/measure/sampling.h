// The loop around every measurement: take samples, take the last rank's time of each, go on until
// the pacer of the leading rank says that it is enough.
//
// Called by all ranks of the communicator. One thread.
#ifndef COX_BENCH_MEASURE_SAMPLING_H_
#define COX_BENCH_MEASURE_SAMPLING_H_

#include <mpi.h>

#include <functional>
#include <vector>

#include "bench/pacer.h"

namespace cox::bench {

// `sample` measures once and gives this rank's seconds. The result, on rank 0 of the communicator
// only, has the largest over the ranks for each sample. `pacer` is used on that rank only and may
// be null on the others.
std::vector<double> TakeSamples(MPI_Comm comm, const Pacer* pacer,
                                const std::function<double()>& sample);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_SAMPLING_H_
