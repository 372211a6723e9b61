/* What the agent adds to a call: two ranks, a bcast of 8 bytes as the program calls it and through
 * the profiling interface, past the agent, in turns. Rank 0, which only sends, prints the least of
 * many turns: "MPI NS PMPI NS" per call.
 *
 * usage: apply_cost */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kTurns = 300, kCalls = 64, kWarmUp = 20 };

typedef int (*Bcast)(void*, int, MPI_Datatype, int, MPI_Comm);

static double turn(Bcast bcast) {
  struct timespec before, after;
  double data = 1;
  PMPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &before);
  for (int i = 0; i < kCalls; ++i) bcast(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &after);
  return ((double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec)) /
         kCalls;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Bcast kinds[2] = {MPI_Bcast, PMPI_Bcast};
  double least[2] = {1e9, 1e9};
  for (int i = 0; i < kTurns + kWarmUp; ++i) {
    for (int kind = 0; kind < 2; ++kind) {
      const double ns = turn(kinds[kind]);
      if (i >= kWarmUp && ns < least[kind]) least[kind] = ns;
    }
  }
  if (rank == 0) printf("MPI %.1f PMPI %.1f\n", least[0], least[1]);
  MPI_Finalize();
  return 0;
}
