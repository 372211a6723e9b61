/* Calls collectives of given sizes and prints which algorithm functions ran, as the preloaded shim
 * saw it.
 *
 * usage: probe [COLLECTIVE BLOCK_BYTES]...
 * prints "RANK COLLECTIVE BLOCK_BYTES TRACE" for each, on every rank. Elements are single bytes.
 * Exits with 3 when a result is wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* (*take)(void);
static int rank, size;

static char* buffer(long bytes, int value) {
  char* memory = malloc((size_t)bytes + 1);
  memset(memory, value, (size_t)bytes + 1);
  return memory;
}

/* Every rank's bytes have the rank's number as value: what arrives tells where it is from. */
static int call(const char* collective, int bytes) {
  const long all = (long)bytes * size;
  char* in = buffer(all, rank + 1);
  char* out = buffer(all, 0);
  int wrong = 0;
  if (strcmp(collective, "alltoall") == 0) {
    MPI_Alltoall(in, bytes, MPI_SIGNED_CHAR, out, bytes, MPI_SIGNED_CHAR, MPI_COMM_WORLD);
    for (long i = 0; i < all; ++i) wrong += out[i] != 1 + i / bytes;
  } else if (strcmp(collective, "allgather") == 0) {
    MPI_Allgather(in, bytes, MPI_SIGNED_CHAR, out, bytes, MPI_SIGNED_CHAR, MPI_COMM_WORLD);
    for (long i = 0; i < all; ++i) wrong += out[i] != 1 + i / bytes;
  } else if (strcmp(collective, "allreduce") == 0) {
    MPI_Allreduce(in, out, bytes, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
    for (long i = 0; i < bytes; ++i) wrong += out[i] != size;
  } else if (strcmp(collective, "bcast") == 0) {
    MPI_Bcast(in, bytes, MPI_SIGNED_CHAR, 0, MPI_COMM_WORLD);
    for (long i = 0; i < bytes; ++i) wrong += in[i] != 1;
  } else {
    fprintf(stderr, "probe: no collective \"%s\"\n", collective);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  free(in);
  free(out);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  *(void**)&take = dlsym(RTLD_DEFAULT, "cox_shim_take");
  if (take == NULL) {
    fprintf(stderr, "probe: the shim is not loaded\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  take();
  int wrong = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    wrong += call(argv[i], atoi(argv[i + 1]));
    printf("%d %s %s %s\n", rank, argv[i], argv[i + 1], take());
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 3;
}
