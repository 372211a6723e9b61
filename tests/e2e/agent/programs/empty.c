/* Calls that transfer nothing and have MPI_DATATYPE_NULL, which MPICH accepts there. Prints how
 * many errors the calls returned, and how often the program's error handler ran, on all ranks.
 *
 * usage: empty      on two ranks */
#include <mpi.h>
#include <stdio.h>

enum { kRanks = 2, kOften = 3 };

static int rank, handled, errors;

static void count_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
}

static void check(int result) { errors += result != MPI_SUCCESS; }

static void collectives(MPI_Comm ring) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const MPI_Datatype types[kRanks] = {none, none};
  /* Each rank sends an int to itself alone, in the second round of calls. */
  const MPI_Datatype mixed[kRanks] = {rank == 0 ? MPI_INT : none, rank == 1 ? MPI_INT : none};
  const int nothing[kRanks] = {0, 0}, own[kRanks] = {rank == 0, rank == 1};
  const MPI_Aint far[kRanks] = {0, 0};
  int in = rank, out = -1;
  MPI_Request request;
  check(MPI_Alltoallw(&in, nothing, nothing, types, &out, nothing, nothing, types, world));
  check(MPI_Alltoallw(&in, own, nothing, mixed, &out, own, nothing, mixed, world));
  errors += out != rank;
  check(MPI_Neighbor_alltoallw(&in, nothing, far, types, &out, nothing, far, types, ring));
  check(MPI_Neighbor_alltoall(&in, 0, none, &out, 0, none, ring));
  check(MPI_Neighbor_allgather(&in, 0, none, &out, 0, none, ring));
  check(MPI_Ineighbor_alltoall(&in, 0, none, &out, 0, none, ring, &request));
  check(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void messages(void) {
  int none = 0;
  MPI_Request request;
  check(MPI_Irecv(&none, 0, MPI_DATATYPE_NULL, 1 - rank, 1, MPI_COMM_WORLD, &request));
  check(MPI_Send(&none, 0, MPI_DATATYPE_NULL, 1 - rank, 1, MPI_COMM_WORLD));
  check(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  MPI_Comm ring;
  MPI_Errhandler handler;
  int period = 1, ranks = kRanks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &ring);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(ring, handler);
  for (int i = 0; i < kOften; ++i) {
    collectives(ring);
    messages();
  }
  const int own[2] = {errors, handled};
  int all[2];
  MPI_Reduce(own, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d errors, %d handled\n", all[0], all[1]);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
