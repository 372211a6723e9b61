#include "bench/measure/sampling.h"

namespace cox::bench {

std::vector<double> TakeSamples(MPI_Comm comm, const Pacer* pacer,
                                const std::function<double()>& sample) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> times_s;
  std::vector<double> mine_s;
  std::vector<double> last_s;
  for (;;) {
    int batch = rank == 0 ? pacer->NextBatch(MPI_Wtime(), times_s) : 0;
    MPI_Bcast(&batch, 1, MPI_INT, 0, comm);
    if (batch == 0) return times_s;
    mine_s.assign(batch, 0);
    last_s.assign(batch, 0);
    for (double& time_s : mine_s) time_s = sample();
    MPI_Reduce(mine_s.data(), last_s.data(), batch, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0) times_s.insert(times_s.end(), last_s.begin(), last_s.end());
  }
}

}  // namespace cox::bench
