/* Wrong programs that end all the same. Collective calls do not match, errors return. Each rank
 * says when it reaches its end; MPI_Finalize follows.
 *
 * usage: wrong WHAT
 *   lengths   an allreduce in which the last rank has fewer elements, then two right ones
 *   extra     the last rank calls one gather more than the others; its block needs no partner
 *   skip      a broadcast that the last rank has no room for; after it, that rank skips the others'
 *             further broadcasts
 *   root      rank 0 gives a root that does not exist before each of three broadcasts
 *   alias     rank 0 gathers into the buffer that it sends, three times
 *   handler   as skip, with an error handler of the program
 *   other     as skip, on a communicator that was used often enough to be sampled */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMostRanks = 16, kElements = 64, kFewer = 8, kOften = 400 };

static int rank, size, handled;
static int in[kElements * kMostRanks], out[kElements * kMostRanks];

static void handler(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
}

static int is_last(void) { return rank == size - 1; }

static void lengths(void) {
  for (int i = 0; i < 3; ++i) {
    const int count = i == 0 && is_last() ? kFewer : kElements;
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void extra(void) {
  for (int i = 0; i < (is_last() ? 2 : 1); ++i) {
    MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void skip(MPI_Comm comm) {
  MPI_Bcast(in, is_last() ? kFewer : kElements, MPI_INT, 0, comm);
  for (int i = 0; !is_last() && i < 2; ++i) MPI_Bcast(in, kElements, MPI_INT, 0, comm);
}

static void root(void) {
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Bcast(in, kElements, MPI_INT, size, MPI_COMM_WORLD);
    MPI_Bcast(in, kElements, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void alias(void) {
  for (int i = 0; i < 3; ++i) {
    MPI_Gather(in, 1, MPI_INT, rank == 0 ? in : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void other(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 1; i < kOften; ++i) MPI_Bcast(in, kElements, MPI_INT, 0, comm);
  MPI_Barrier(MPI_COMM_WORLD);
  /* The agent's first question there comes in a call that the last rank skips. */
  if (!is_last()) MPI_Bcast(in, kElements, MPI_INT, 0, comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "lengths") == 0) lengths();
  if (strcmp(what, "extra") == 0) extra();
  if (strcmp(what, "skip") == 0) skip(MPI_COMM_WORLD);
  if (strcmp(what, "root") == 0) root();
  if (strcmp(what, "alias") == 0) alias();
  if (strcmp(what, "other") == 0) other();
  if (strcmp(what, "handler") == 0) {
    MPI_Errhandler own;
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Errhandler_free(&own);
    skip(MPI_COMM_WORLD);
  }
  printf("%s: rank %d of %d ends, %d handled\n", what, rank, size, handled);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
