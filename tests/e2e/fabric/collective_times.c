/* Times collectives on nodes that share one clock: collective_times COLLECTIVE,... BYTES,...
 * REPEATS SEED
 *
 * A line "COLLECTIVE BYTES SECONDS" for each pair: the least of REPEATS times, from an instant at
 * which all ranks enter together to when the last one leaves. In each repeat the pairs come in
 * another order. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective_calls.h"
#include "together.h"

enum { kMostCells = 256, kWarmUps = 1, kMostName = 64 };

struct Cell {
  char name[kMostName];
  Call call;
  int bytes;
  double least_s;
};

static void Measure(struct Cell* cell, int is_timed) {
  const double start_s = EnterTogether(rank, ranks);
  cell->call(cell->bytes);
  const double time_s = Largest(Now_s(), rank, ranks) - start_s;
  if (is_timed && time_s < cell->least_s) cell->least_s = time_s;
}

static int Plan(const char* names, const char* sizes, struct Cell* cells) {
  int count = 0;
  char name[kMostName];
  char size[kMostName];
  while (Word(&names, name, sizeof name)) {
    const Call call = CallNamed(name);
    if (call == NULL) return 0;
    for (const char* rest = sizes; count < kMostCells && Word(&rest, size, sizeof size);) {
      struct Cell* cell = &cells[count++];
      memcpy(cell->name, name, sizeof name);
      cell->call = call;
      cell->bytes = atoi(size);
      cell->least_s = 1e300;
    }
  }
  return count;
}

/* The same on all ranks: they have the same seed. */
static void Shuffle(int* order, int count) {
  for (int i = count - 1; i > 0; --i) {
    const int other = (int)(random() % (i + 1));
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static struct Cell cells[kMostCells];
  const int count = argc == 5 ? Plan(argv[1], argv[2], cells) : 0;
  if (count == 0) {
    fprintf(stderr, "usage: collective_times COLLECTIVE,... BYTES,... REPEATS SEED\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  SleepExactly();
  srandom((unsigned)atoi(argv[4]));
  int most = 0;
  int order[kMostCells];
  for (int i = 0; i < count; ++i) {
    order[i] = i;
    if (cells[i].bytes > most) most = cells[i].bytes;
  }
  sent = calloc((size_t)ranks, (size_t)most);
  received = calloc((size_t)ranks, (size_t)most);
  for (int repeat = -kWarmUps; repeat < atoi(argv[3]); ++repeat) {
    Shuffle(order, count);
    for (int i = 0; i < count; ++i) Measure(&cells[order[i]], repeat >= 0);
  }
  for (int i = 0; rank == 0 && i < count; ++i) {
    printf("%s %d %.6g\n", cells[i].name, cells[i].bytes, cells[i].least_s);
  }
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
