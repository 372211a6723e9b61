/* Calls every blocking collective a known number of times and prints one line that depends on all
 * results.
 *
 * usage: collectives [STATUS]     each collective three times; exits with STATUS (0)
 *
 * Blocks are 2 doubles per rank (reductions: 5 doubles), so a test knows each block_bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBlock = 2, kVector = 5, kMaxRanks = 64, kRepeat = 3 };

static double sum_of(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (i + 1) * values[i];
  return sum;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMaxRanks) MPI_Abort(MPI_COMM_WORLD, 1);

  double in[kBlock * kMaxRanks + kVector * kMaxRanks],
      out[kBlock * kMaxRanks + kVector * kMaxRanks];
  int counts[kMaxRanks], offsets[kMaxRanks], byte_offsets[kMaxRanks], vectors[kMaxRanks];
  MPI_Datatype types[kMaxRanks];
  for (int i = 0; i < size; ++i) {
    counts[i] = kBlock;
    offsets[i] = i * kBlock;
    byte_offsets[i] = i * kBlock * (int)sizeof(double);
    vectors[i] = kVector;
    types[i] = MPI_DOUBLE;
  }
  double check = 0;
#define FILL(n)                   \
  for (int i = 0; i < (n); ++i) { \
    in[i] = rank + i;             \
    out[i] = 0;                   \
  }
#define CALL(name, filled, read, ...)                                         \
  for (int k = 0; k < kRepeat; ++k) {                                         \
    FILL(filled)                                                              \
    if (MPI_##name(__VA_ARGS__) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 2); \
    check += sum_of(out, read);                                               \
  }
  const int all = kBlock * size;
  const MPI_Comm world = MPI_COMM_WORLD;
  CALL(Allgather, all, all, in, kBlock, MPI_DOUBLE, out, kBlock, MPI_DOUBLE, world)
  CALL(Allgatherv, all, all, in, kBlock, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, world)
  CALL(Allreduce, kVector, kVector, in, out, kVector, MPI_DOUBLE, MPI_SUM, world)
  CALL(Alltoall, all, all, in, kBlock, MPI_DOUBLE, out, kBlock, MPI_DOUBLE, world)
  CALL(Alltoallv, all, all, in, counts, offsets, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE,
       world)
  CALL(Alltoallw, all, all, in, counts, byte_offsets, types, out, counts, byte_offsets, types,
       world)
  CALL(Barrier, 0, 0, world)
  CALL(Bcast, kVector, kVector, rank == 0 ? in : out, kVector, MPI_DOUBLE, 0, world)
  CALL(Exscan, kVector, rank > 0 ? kVector : 0, in, out, kVector, MPI_DOUBLE, MPI_SUM, world)
  CALL(Gather, kBlock, all, in, kBlock, MPI_DOUBLE, out, kBlock, MPI_DOUBLE, 0, world)
  CALL(Gatherv, kBlock, all, in, kBlock, MPI_DOUBLE, out, counts, offsets, MPI_DOUBLE, 0, world)
  CALL(Reduce, kVector, kVector, in, out, kVector, MPI_DOUBLE, MPI_SUM, 0, world)
  CALL(Reduce_scatter, kVector * size, kVector, in, out, vectors, MPI_DOUBLE, MPI_SUM, world)
  CALL(Reduce_scatter_block, kVector * size, kVector, in, out, kVector, MPI_DOUBLE, MPI_SUM, world)
  CALL(Scan, kVector, kVector, in, out, kVector, MPI_DOUBLE, MPI_SUM, world)
  CALL(Scatter, all, kBlock, in, kBlock, MPI_DOUBLE, out, kBlock, MPI_DOUBLE, 0, world)
  CALL(Scatterv, all, kBlock, in, counts, offsets, MPI_DOUBLE, out, kBlock, MPI_DOUBLE, 0, world)

  /* In place, on a communicator of its own kind, and between groups: nothing of it may go wrong. */
  FILL(all)
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, kBlock, MPI_DOUBLE, world);
  check += sum_of(in, all);
  MPI_Comm half, between;
  MPI_Comm_split(world, rank % 2, rank, &half);
  FILL(kVector)
  MPI_Allreduce(in, out, kVector, MPI_DOUBLE, MPI_MAX, half);
  check += sum_of(out, kVector);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, world, rank % 2 == 0 ? 1 : 0, 5, &between);
    FILL(kVector)
    MPI_Allreduce(in, out, kVector, MPI_DOUBLE, MPI_MIN, between);
    check += sum_of(out, kVector);
    MPI_Comm_free(&between);
  }
  MPI_Comm_free(&half);

  /* Gathered without a collective, so that the counts above stay what they are. */
  if (rank == 0) {
    for (int from = 1; from < size; ++from) {
      double theirs;
      MPI_Recv(&theirs, 1, MPI_DOUBLE, from, 9, world, MPI_STATUS_IGNORE);
      check += from * theirs;
    }
    printf("check %.17g\n", check);
  } else {
    MPI_Send(&check, 1, MPI_DOUBLE, 0, 9, world);
  }
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
