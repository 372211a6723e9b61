/* Calls collectives of given sizes and prints which algorithm functions ran, as the preloaded shim
 * saw it.
 *
 * usage: probe [COLLECTIVE BLOCK_BYTES RANKS]...
 * A call is made by the first RANKS ranks, on a communicator of their own; 0: by all, on
 * MPI_COMM_WORLD. COLLECTIVE is a name, of
 * single bytes, or a name and "/double". Prints "RANK COLLECTIVE BLOCK_BYTES RANKS DIGEST TRACE"
 * for each, on each of these ranks; the digest is of the rank's results. Exits with 3 when a result
 * is wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

enum { kNameBytes = 64 };

static const char* (*take)(void);
static FILE* lines; /* what this rank has to say */

static void fail(const char* what) {
  fprintf(stderr, "probe: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Unequal, and yet `block` on the average: whoever takes the mean or the sum sees a round number.
 */
static void spread(Call* call) {
  for (int r = 0, at = 0; r < call->size; ++r) {
    const int in_pair = call->block > 0 && (r | 1) < call->size;
    call->counts[r] = call->block + (in_pair ? (r % 2 == 0 ? 1 : -1) : 0);
    call->displs[r] = at;
    at += call->counts[r];
  }
}

/* Wrong elements of one call. */
static int call(const char* name, int block_bytes, MPI_Comm comm) {
  char collective[kNameBytes];
  snprintf(collective, sizeof(collective), "%s", name);
  char* suffix = strchr(collective, '/');
  if (suffix != NULL) *suffix = '\0';
  Call made = {.comm = comm, .doubles = suffix != NULL};
  MPI_Comm_rank(comm, &made.rank);
  MPI_Comm_size(comm, &made.size);
  const int type_bytes = made.doubles ? (int)sizeof(double) : 1;
  made.type = made.doubles ? MPI_DOUBLE : MPI_UNSIGNED_CHAR;
  made.block = block_bytes / type_bytes;
  made.root = made.block % made.size;
  const size_t bytes = (size_t)(made.block + 1) * (size_t)made.size * (size_t)type_bytes;
  made.in = calloc(1, bytes);
  made.out = calloc(1, bytes);
  made.counts = calloc((size_t)made.size, sizeof(int));
  made.displs = calloc((size_t)made.size, sizeof(int));
  spread(&made);
  unsigned long digest = 0;
  take();
  const int wrong = run_call(collective, &made, &digest);
  if (wrong < 0) fail("no such collective");
  fprintf(lines, "%d %s %d %d %lx %s\n", made.rank, name, block_bytes, made.size, digest, take());
  if (wrong > 0) {
    fprintf(stderr, "probe: rank %d: %s of %d bytes on %d ranks: %d wrong elements\n", made.rank,
            name, block_bytes, made.size, wrong);
  }
  free(made.in);
  free(made.out);
  free(made.counts);
  free(made.displs);
  return wrong;
}

/* Prints what all ranks have to say, by one of them: what many print at once is mixed within lines.
 */
static void print_all(char* own, size_t own_bytes, int rank, int size) {
  if (rank > 0) {
    MPI_Send(own, (int)own_bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  fwrite(own, 1, own_bytes, stdout);
  for (int from = 1; from < size; ++from) {
    MPI_Status status;
    int bytes;
    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    char* theirs = malloc((size_t)bytes + 1);
    MPI_Recv(theirs, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(theirs, 1, (size_t)bytes, stdout);
    free(theirs);
  }
}

int main(int argc, char** argv) {
  char* said = NULL;
  size_t said_bytes = 0;
  lines = open_memstream(&said, &said_bytes);
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  *(void**)&take = dlsym(RTLD_DEFAULT, "cox_shim_take");
  if (take == NULL) fail("the shim is not loaded");
  MPI_Comm* comms = calloc((size_t)size + 1, sizeof(MPI_Comm)); /* by size, made when needed */
  comms[0] = MPI_COMM_WORLD;
  for (int ranks = 1; ranks <= size; ++ranks) comms[ranks] = MPI_COMM_NULL;
  int wrong = 0;
  for (int i = 1; i + 2 < argc; i += 3) {
    const int ranks = atoi(argv[i + 2]);
    if (ranks < 0 || ranks > size) fail("no communicator of so many ranks");
    if (rank < ranks && comms[ranks] == MPI_COMM_NULL) {
      MPI_Group all, some;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Group_range_incl(all, 1, (int[1][3]){{0, ranks - 1, 1}}, &some);
      MPI_Comm_create_group(MPI_COMM_WORLD, some, ranks, &comms[ranks]);
      MPI_Group_free(&some);
      MPI_Group_free(&all);
    }
    if (ranks == 0 || rank < ranks) wrong += call(argv[i], atoi(argv[i + 1]), comms[ranks]);
  }
  for (int ranks = 1; ranks <= size; ++ranks) {
    if (comms[ranks] != MPI_COMM_NULL) MPI_Comm_free(&comms[ranks]);
  }
  free(comms);
  fclose(lines);
  print_all(said, said_bytes, rank, size);
  free(said);
  MPI_Finalize();
  return wrong == 0 ? 0 : 3;
}
