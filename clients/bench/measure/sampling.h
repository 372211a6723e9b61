// The loop around every measurement: takes samples, each with one time of all ranks, until the
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

// Which time of the ranks counts.
enum class Ranks { kSlowest, kMean };

// `sample` measures once and returns this rank's seconds. Returns, on rank 0 of the communicator
// only, the time of each sample. Uses `pacer` on that rank only; it may be null on the others.
std::vector<double> TakeSamples(MPI_Comm comm, const Pacer* pacer,
                                const std::function<double()>& sample,
                                Ranks counting = Ranks::kSlowest);

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_SAMPLING_H_
