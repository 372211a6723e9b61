/* What an agent counts without learning from it: non-blocking collectives that are completed in
 * every way that MPI has, neighbour collectives, messages.
 *
 * usage: counted ROUNDS      on two ranks
 *
 * Per round and rank: an iallreduce (with 2 ms before its MPI_Wait), two ibcasts (MPI_Waitall), an
 * ibarrier (MPI_Test), an ialltoall (MPI_Waitany), an igather (MPI_Testsome), an iscan
 * (MPI_Testall), a neighbor_alltoall, an ineighbor_allgather (MPI_Waitsome); a message of 8 bytes
 * (MPI_Send), of 16 (MPI_Isend), of 24 (MPI_Sendrecv), of 32 (MPI_Ssend), and one to MPI_PROC_NULL.
 * Prints one line that depends on all results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank;
static double check;

static void add(const double* values, int count) {
  for (int i = 0; i < count; ++i) check += (i + 1) * values[i];
}

static void collectives(MPI_Comm ring) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const struct timespec pause = {0, 2000000};
  const double in[2] = {rank + 1, rank + 2};
  double out[4] = {0}, more[4] = {0};
  MPI_Request request[2];
  MPI_Status statuses[2];
  int flag = 0, index = 0, indices[2], done = 0;

  MPI_Iallreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, world, request);
  nanosleep(&pause, NULL);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  add(out, 2);

  out[0] = more[0] = rank;
  MPI_Ibcast(out, 1, MPI_DOUBLE, 0, world, &request[0]);
  MPI_Ibcast(more, 1, MPI_DOUBLE, 1, world, &request[1]);
  MPI_Waitall(2, request, statuses);
  check += out[0] + more[0];

  MPI_Ibarrier(world, request);
  while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);

  request[1] = MPI_REQUEST_NULL;
  MPI_Ialltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, world, request);
  MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
  add(out, 2);

  MPI_Igather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, world, request);
  while (done == 0) MPI_Testsome(2, request, &done, indices, statuses);
  if (rank == 0) add(out, 2);

  MPI_Iscan(in, out, 2, MPI_DOUBLE, MPI_SUM, world, request);
  for (flag = 0; !flag;) MPI_Testall(2, request, &flag, statuses);
  add(out, 2);

  MPI_Neighbor_alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, ring);
  add(out, 2);
  MPI_Ineighbor_allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, ring, request);
  MPI_Waitsome(2, request, &done, indices, statuses);
  add(out, 2);
}

static void messages(void) {
  const int other = 1 - rank;
  const double out[4] = {rank, 2, 3, 4};
  double in[4] = {0};
  MPI_Request request;
  /* Rank 0 speaks first, rank 1 answers. */
  if (rank == 0) MPI_Send(out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
  MPI_Recv(in, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
  MPI_Isend(out, 2, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 2, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 3, MPI_DOUBLE, other, 3, in, 3, MPI_DOUBLE, other, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Ssend(out, 4, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
  MPI_Recv(in, 4, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Ssend(out, 4, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
  MPI_Send(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
  add(in, 4);
}

int main(int argc, char** argv) {
  int size, period = 1;
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
  for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i) {
    collectives(ring);
    messages();
  }
  double theirs = 0;
  PMPI_Sendrecv(&check, 1, MPI_DOUBLE, 1 - rank, 9, &theirs, 1, MPI_DOUBLE, 1 - rank, 9,
                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("check %.17g\n", check + 3 * theirs);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
