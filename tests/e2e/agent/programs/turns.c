/* Tests whether rank 2 can leave a gather to rank 0 before rank 1 has entered it. Rank 1 enters
 * when rank 2 says that it has left, or after 300 ms. If the algorithm admits senders one after
 * another, rank 2 never leaves first; otherwise MPI takes the small block at once. Rank 0 prints
 * the result of five gathers: "left without rank 1" if it happened once.
 *
 * usage: turns BYTES (at most 2048), at least 3 ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMostBytes = 2048, kMostRanks = 16, kGathers = 5, kLeft = 7, kOutcome = 8 };
static const double kPatience_s = 0.3;

static int rank, size, bytes;
static char block[kMostBytes], blocks[kMostBytes * kMostRanks];

static void gather(void) {
  MPI_Gather(block, bytes, MPI_BYTE, blocks, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* On rank 1: 1 if rank 2 had left before. */
static int gather_late(void) {
  int left = 0, word;
  const double start_s = MPI_Wtime();
  while (!left && MPI_Wtime() - start_s < kPatience_s) {
    MPI_Iprobe(2, kLeft, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
  }
  gather();
  MPI_Recv(&word, 1, MPI_INT, 2, kLeft, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return left;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bytes = argc == 2 ? atoi(argv[1]) : -1;
  if (bytes < 1 || bytes > kMostBytes || size < 3 || size > kMostRanks) {
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  gather(); /* the first call makes communicators */
  int left = 0;
  for (int i = 0; i < kGathers; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      left += gather_late();
    } else {
      gather();
      if (rank == 2) MPI_Send(&i, 1, MPI_INT, 1, kLeft, MPI_COMM_WORLD);
    }
  }
  if (rank == 1) MPI_Send(&left, 1, MPI_INT, 0, kOutcome, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&left, 1, MPI_INT, 1, kOutcome, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    puts(left > 0 ? "left without rank 1" : "waited for rank 1");
  }
  MPI_Finalize();
  return 0;
}
