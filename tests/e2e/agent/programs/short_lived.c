/* Communicators that live shortly: makes one, calls a broadcast, an allgather and an allreduce of
 * ELEMENTS integers (16) ROUNDS times, frees it; COMMUNICATORS times. Rank 0 prints the seconds
 * that MPI_Init and the communicators took: "init S all S".
 *
 * usage: short_lived COMMUNICATORS ROUNDS [ELEMENTS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMostElements = 8192, kMostRanks = 16 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  static int in[kMostElements], out[kMostElements * kMostRanks];
  int rank = 0;
  const int communicators = argc > 1 ? atoi(argv[1]) : 0;
  const int rounds = argc > 2 ? atoi(argv[2]) : 0;
  const int elements = argc > 3 ? atoi(argv[3]) : 16;
  if (elements > kMostElements) return 2;
  const double start_s = now_s();
  MPI_Init(&argc, &argv);
  const double init_s = now_s() - start_s;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = now_s();
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    for (int k = 0; k < rounds; ++k) {
      MPI_Bcast(in, elements, MPI_INT, 0, one);
      MPI_Allgather(in, elements, MPI_INT, out, elements, MPI_INT, one);
      MPI_Allreduce(in, out, elements, MPI_INT, MPI_SUM, one);
    }
    MPI_Comm_free(&one);
  }
  if (rank == 0) printf("init %.6f all %.6f\n", init_s, now_s() - begin_s);
  MPI_Finalize();
  return 0;
}
