/* Calls collectives until a file exists, and checks their results: a job that lasts as long as a
 * test wants. It makes FILE.begun when all ranks have met.
 *
 * usage: until FILE */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kInts = 16, kMostRanks = 64 };

static int rank, size;

/* The sum over ranks of what each sends; every rank gets the same. */
static int check(int round) {
  static int sent[kInts * kMostRanks], got[kInts * kMostRanks];
  int sum = 0;
  for (int i = 0; i < kInts * size; ++i) sent[i] = round + rank;
  MPI_Alltoall(sent, kInts, MPI_INT, got, kInts, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < kInts * size; ++i) {
    if (got[i] != round + i / kInts) return 0;
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum == size * (size - 1) / 2;
}

static void say_begun(const char* file) {
  char name[4096];
  snprintf(name, sizeof(name), "%s.begun", file);
  close(open(name, O_CREAT | O_WRONLY, 0644));
}

int main(int argc, char** argv) {
  int last = 0, right = 1, round = 0;
  const struct timespec pause = {0, 2000000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  while (!last) {
    right = check(round++) && right;
    nanosleep(&pause, NULL);
    last = access(argv[1], F_OK) == 0;
    MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (round == 1 && rank == 0) say_begun(argv[1]);
  }
  if (rank == 0) printf("%s\n", right ? "right" : "wrong");
  MPI_Finalize();
  return right ? 0 : 1;
}
