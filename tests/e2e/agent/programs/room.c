/* Needs more private communicators than there is room for, then fewer.
 *
 * usage: room COMMUNICATORS CALLS
 *
 * Makes COMMUNICATORS duplicates of MPI_COMM_WORLD and calls nine collectives of small and of
 * large blocks on each, after enough other calls for them to be steered. Then, on one more: CALLS
 * broadcasts of 24 bytes; the others are freed; CALLS broadcasts of 28 bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLarge = 4096, kWarm = 101, kMostRanks = 16 };

static int rank, size, wrong;
static int in[kMostRanks * kLarge], out[kMostRanks * kLarge];

static void broadcast(MPI_Comm comm, int bytes, int value) {
  unsigned char data[32];
  memset(data, rank == 0 ? value : 0, sizeof(data));
  MPI_Bcast(data, bytes, MPI_BYTE, 0, comm);
  wrong += data[0] != value || data[bytes - 1] != value;
}

/* Every element of `in` is the rank, before each. */
static void set_up(void) {
  for (int i = 0; i < size * kLarge; ++i) in[i] = rank;
}

static void expect(int at, int value) { wrong += out[at] != value; }

static void use(MPI_Comm comm) {
  const int sum = size * (size - 1) / 2;
  for (int i = 0; i < kWarm; ++i) broadcast(comm, 16, 1);
  set_up();
  for (int count = 4; count <= kLarge; count *= kLarge / 4) {
    MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    expect(count * size - 1, size - 1);
    MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
    expect(count * size - 1, size - 1);
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    expect(count - 1, sum);
    MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
    expect(count - 1, sum);
    MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
    expect(count - 1, rank * (rank + 1) / 2);
    MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, size - 1, comm);
    expect(count - 1, size - 1);
    MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, 0, comm);
    if (rank == 0) expect(count * size - 1, size - 1);
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, 0, comm);
    if (rank == 0) expect(count - 1, sum);
    out[count - 1] = rank;
    MPI_Bcast(out, count, MPI_INT, size - 1, comm);
    expect(count - 1, size - 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3 || size > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  const int count = atoi(argv[1]), calls = atoi(argv[2]);
  MPI_Comm one, *others = calloc((size_t)count, sizeof(MPI_Comm));
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &others[i]);
    use(others[i]);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  for (int i = 0; i < calls; ++i) broadcast(one, 24, i % 256);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&others[i]);
  for (int i = 0; i < calls; ++i) broadcast(one, 28, i % 256);
  MPI_Comm_free(&one);
  free(others);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 3;
}
