/* Collectives that check their own results: what every rank puts in is known to all. */
#ifndef COX_TESTS_E2E_SHIM_CALLS_H_
#define COX_TESTS_E2E_SHIM_CALLS_H_

#include <mpi.h>

typedef struct {
  MPI_Comm comm;
  int rank, size, root;
  int block;   /* elements: the design's block */
  int doubles; /* elements are doubles, else unsigned bytes */
  MPI_Datatype type;
  int *counts,
      *displs;    /* of the v variants: unequal, with the mean `block` where there are pairs */
  void *in, *out; /* block * size elements each, and a little more */
} Call;

/* Runs the collective of that name. Returns how many elements are wrong, -1 for an unknown name.
 * `digest`: of the result's bytes; 0 for a rank that has none, and of doubles. */
int run_call(const char* collective, Call* call, unsigned long* digest);

#endif
