#include "bench/measure/sampling.h"

namespace cox::bench {

std::vector<double> TakeSamples(MPI_Comm comm, const Pacer* pacer,
                                const std::function<double()>& sample, Ranks counting) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const bool is_mean = counting == Ranks::kMean;
  std::vector<double> times_s;
  std::vector<double> mine_s;
  std::vector<double> all_s;
  for (;;) {
    int batch = rank == 0 ? pacer->NextBatch(MPI_Wtime(), times_s) : 0;
    MPI_Bcast(&batch, 1, MPI_INT, 0, comm);
    if (batch == 0) return times_s;
    mine_s.assign(batch, 0);
    all_s.assign(batch, 0);
    for (double& time_s : mine_s) time_s = sample() / (is_mean ? ranks : 1);
    MPI_Reduce(mine_s.data(), all_s.data(), batch, MPI_DOUBLE, is_mean ? MPI_SUM : MPI_MAX, 0,
               comm);
    if (rank == 0) times_s.insert(times_s.end(), all_s.begin(), all_s.end());
  }
}

}  // namespace cox::bench
