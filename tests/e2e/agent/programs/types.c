/* Calls whose result depends on the algorithm with Open MPI, although MPI allows them. Each rank
 * checks its results, except sums: they may saturate or wrap.
 *
 * usage: types transposition|columns|sums */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 3, kRows = 400, kColumns = 2 };

static int rank, size;

/* `rows` numbers, one in every `stride`; the next element begins one number later. */
static MPI_Datatype column_type(int rows, int stride) {
  MPI_Datatype all, column;
  MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &all);
  MPI_Type_create_resized(all, 0, sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&all);
  return column;
}

/* The all-to-all of an FFT: sends numbers in a row, and receives them as a column. */
static int transposition(void) {
  int wrong = 0;
  double* sent = malloc(sizeof(double) * kRows * size);
  double* received = malloc(sizeof(double) * kRows * size);
  MPI_Datatype column = column_type(kRows, size);
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < kRows; ++i) sent[to * kRows + i] = rank * 1e6 + to * 1e4 + i;
  for (int round = 0; round < kRounds; ++round) {
    memset(received, 0, sizeof(double) * kRows * size);
    MPI_Alltoall(sent, kRows, MPI_DOUBLE, received, 1, column, MPI_COMM_WORLD);
    for (int from = 0; from < size; ++from)
      for (int i = 0; i < kRows; ++i)
        wrong += received[i * size + from] != from * 1e6 + rank * 1e4 + i;
  }
  MPI_Type_free(&column);
  free(sent);
  free(received);
  return wrong;
}

/* Gathers columns of matrices whose rows are contiguous. */
static int columns(void) {
  int wrong = 0;
  const int block = kRows * kColumns;
  double* own = malloc(sizeof(double) * block);
  double* all = malloc(sizeof(double) * block * size);
  MPI_Datatype column = column_type(kRows, kColumns);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) own[i * kColumns + j] = rank * 1e6 + j * 1e4 + i;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Gather(own, kColumns, column, all, block, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int at = 0; rank == 0 && at < block * size; ++at)
      wrong += all[at] != at / block * 1e6 + at % block / kRows * 1e4 + at % kRows;
  }
  MPI_Type_free(&column);
  free(own);
  free(all);
  return wrong;
}

/* Partial sums overflow, the whole ones do not. */
static int sums(void) {
  enum { kCount = 1000 };
  static const int part[4] = {100, 60, -100, 5};
  int8_t in8[kCount], out8[kCount];
  int16_t in16[kCount], out16[kCount];
  for (int i = 0; i < kCount; ++i) {
    in8[i] = (int8_t)part[rank % 4];
    in16[i] = (int16_t)(part[rank % 4] * 300);
  }
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Allreduce(in8, out8, kCount, MPI_INT8_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(in16, out16, kCount, MPI_SHORT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) sum = sum * 31 + (uint64_t)(out8[i] + out16[i]);
  }
  if (rank == 0) printf("%llx\n", (unsigned long long)sum);
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "";
  int own = strcmp(what, "transposition") == 0 ? transposition()
            : strcmp(what, "columns") == 0     ? columns()
                                               : sums();
  int wrong = 0;
  MPI_Reduce(&own, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
