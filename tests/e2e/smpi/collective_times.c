/* Times collectives in simulated time: collective_times COLLECTIVE,... BYTES,...
 *
 * A line "COLLECTIVE BYTES SECONDS" for each pair: from the common instant when all ranks enter to
 * when the last one leaves. Simulated time costs nothing and all ranks read one clock, so call k
 * starts at k * kSlot_s. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../fabric/collective_calls.h"

static const double kSlot_s = 1000;

static void SleepUntil(double instant_s) {
  const double left_s = instant_s - MPI_Wtime();
  struct timespec left = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};
  nanosleep(&left, &left);
}

/* On rank 0. Messages of its own, as the collectives may be forced to anything. */
static double LastEnd(double end_s) {
  double last_s = end_s;
  if (rank > 0) MPI_Send(&end_s, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  for (int other = 1; rank == 0 && other < ranks; ++other) {
    MPI_Recv(&end_s, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (end_s > last_s) last_s = end_s;
  }
  return last_s;
}

static void Measure(const char* name, int bytes, int slot, int is_timed) {
  const Call call = CallNamed(name);
  if (call == NULL) {
    fprintf(stderr, "collective_times: no collective %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return;
  }
  const double start_s = slot * kSlot_s;
  SleepUntil(start_s);
  call(bytes);
  const double last_s = LastEnd(MPI_Wtime());
  if (rank == 0 && is_timed) printf("%s %d %.6g\n", name, bytes, last_s - start_s);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  char word[64];
  size_t most = 0;
  for (const char* sizes = argv[2]; Word(&sizes, word, sizeof word);) {
    if ((size_t)atoi(word) > most) most = (size_t)atoi(word);
  }
  /* All ranks' buffers are the same memory: times do not depend on what is in them. */
  sent = SMPI_SHARED_MALLOC(most * (size_t)ranks);
  received = SMPI_SHARED_MALLOC(most * (size_t)ranks);
  char name[64];
  int slot = 1;
  for (const char* names = argv[1]; Word(&names, name, sizeof name);) {
    Measure(name, atoi(argv[2]), slot++, 0);
    for (const char* sizes = argv[2]; Word(&sizes, word, sizeof word);) {
      Measure(name, atoi(word), slot++, 1);
    }
  }
  SMPI_SHARED_FREE(sent);
  SMPI_SHARED_FREE(received);
  MPI_Finalize();
  return 0;
}
